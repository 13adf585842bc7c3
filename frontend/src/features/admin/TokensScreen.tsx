import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useSearchParams } from "react-router";
import { allTokensQuery } from "../../api/admin";
import { revokeToken, usersQuery } from "../../api/auth";
import type { OwnedToken } from "../../api/types";
import { t } from "../../strings";
import { Button } from "../../ui/Button";
import { Card } from "../../ui/Card";
import { Chip } from "../../ui/Chip";
import { ConfirmDialog } from "../../ui/ConfirmDialog";
import { Fetching } from "../../ui/Fetching";
import { SelectField } from "../../ui/Field";
import { formatDate, formatDateTime } from "../../ui/format";
import { More } from "../../ui/More";
import { Empty } from "../../ui/State";
import { Table } from "../../ui/Table";
import styles from "./AdminScreen.module.css";

const { tokens: text } = t.admin;

export function TokensScreen() {
  const [search, setSearch] = useSearchParams();
  const userId = Number(search.get("user")) || null;
  const users = useQuery(usersQuery);
  const tokens = useInfiniteQuery(allTokensQuery(userId));
  const items = tokens.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <>
      <p className={styles.quiet}>{text.hint}</p>
      <Card>
        <div className={styles.filters}>
          <SelectField
            label={text.user}
            value={userId ?? ""}
            onChange={({ target: { value } }) =>
              setSearch(value ? { user: value } : {}, { replace: true })
            }
          >
            <option value="">{text.allUsers}</option>
            {users.data?.items.map((user) => (
              <option key={user.id} value={user.id}>
                {user.name} ({user.email})
              </option>
            ))}
          </SelectField>
        </div>
        <Fetching of={tokens} height="14rem" />
        {tokens.data && items.length === 0 && (
          <Empty title={text.empty}>{userId ? text.emptyOfUser : text.emptyText}</Empty>
        )}
        {items.length > 0 && <TokenTable tokens={items} />}
        <More list={tokens}>{t.admin.more}</More>
      </Card>
    </>
  );
}

function TokenTable({ tokens }: { tokens: OwnedToken[] }) {
  const client = useQueryClient();
  const [asked, setAsked] = useState<OwnedToken | null>(null);
  const revoke = useMutation({
    mutationFn: (token: OwnedToken) => revokeToken(token.id),
    onSuccess: () => setAsked(null),
    onSettled: () => client.invalidateQueries({ queryKey: ["admin", "tokens"] }),
  });
  return (
    <>
      <Table label={t.people.tokens}>
        <thead>
          <tr>
            <th scope="col">{text.user}</th>
            <th scope="col">{text.token}</th>
            <th scope="col">{text.state}</th>
            <th scope="col">{t.people.created}</th>
            <th scope="col">{t.people.lastUsed}</th>
            <th scope="col">{t.people.expires}</th>
            <th scope="col">
              <span className="visually-hidden">{t.people.revoke}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {tokens.map((token) => (
            <tr key={token.id}>
              <td>
                {token.user.name}
                <div className={styles.quiet}>{token.user.email}</div>
              </td>
              <td>
                <strong>{token.name}</strong>
                <div className={`${styles.mono} ${styles.quiet}`}>{token.prefix}…</div>
              </td>
              <td>
                <Chip tone={token.valid ? "good" : "plain"}>{text.states[stateOf(token)]}</Chip>
              </td>
              <td className={styles.nowrap}>{formatDate(token.created_at)}</td>
              <td className={styles.nowrap}>
                {token.last_used_at ? formatDateTime(token.last_used_at) : t.common.never}
              </td>
              <td className={styles.nowrap}>
                {token.expires_at ? formatDate(token.expires_at) : t.common.never}
              </td>
              <td data-number>
                {token.revoked_at === null && (
                  <Button
                    size="small"
                    kind="quiet"
                    aria-label={t.people.revokeToken(token.name)}
                    onClick={() => setAsked(token)}
                  >
                    {t.people.revoke}
                  </Button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </Table>
      {asked && (
        <ConfirmDialog
          title={text.revokeTitle(asked.name)}
          text={text.revokeText(asked.user.name)}
          action={t.people.revoke}
          danger
          does={revoke}
          onConfirm={() => revoke.mutate(asked)}
          onClose={() => setAsked(null)}
        />
      )}
    </>
  );
}

function stateOf(token: OwnedToken): keyof typeof text.states {
  if (token.valid) return "valid";
  if (token.revoked_at) return "revoked";
  return token.user.active ? "expired" : "inactive";
}
