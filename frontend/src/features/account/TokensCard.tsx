import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { revokeToken, tokensQuery } from "../../api/auth";
import type { Token, TokenWithSecret } from "../../api/types";
import { t } from "../../strings";
import { Button } from "../../ui/Button";
import { Card } from "../../ui/Card";
import { Chip } from "../../ui/Chip";
import { ErrorNotice } from "../../ui/ErrorNotice";
import { Fetching } from "../../ui/Fetching";
import { formatDate } from "../../ui/format";
import { Secret } from "../../ui/Secret";
import { Table } from "../../ui/Table";
import styles from "./AccountScreen.module.css";
import { NewTokenDialog } from "./NewTokenDialog";

export function TokensCard() {
  const tokens = useQuery(tokensQuery);
  const [creating, setCreating] = useState(false);
  const [fresh, setFresh] = useState<TokenWithSecret | null>(null);
  return (
    <Card
      title={t.people.tokens}
      hint={t.people.tokensHint}
      actions={<Button onClick={() => setCreating(true)}>{t.people.newToken}</Button>}
    >
      {fresh && (
        <Secret title={t.people.tokenOnce} label={t.people.tokenSecret} value={fresh.secret} />
      )}
      <Fetching of={tokens} height="6rem" />
      {tokens.data?.sso_days && tokens.data.items.length > 0 && (
        <p className={styles.quiet}>{t.people.tokensEndWithSignOn(tokens.data.sso_days)}</p>
      )}
      {tokens.data?.items.length === 0 && <p className={styles.quiet}>{t.people.noTokens}</p>}
      {tokens.data && tokens.data.items.length > 0 && <TokenTable tokens={tokens.data.items} />}
      {creating && (
        <NewTokenDialog
          days={tokens.data?.days ?? 90}
          most={tokens.data?.most_days ?? null}
          onClose={() => setCreating(false)}
          onCreated={(token) => {
            setFresh(token);
            setCreating(false);
          }}
        />
      )}
    </Card>
  );
}

function TokenTable({ tokens }: { tokens: Token[] }) {
  const client = useQueryClient();
  const revoke = useMutation({
    mutationFn: revokeToken,
    onSettled: () => client.invalidateQueries({ queryKey: tokensQuery.queryKey }),
  });
  return (
    <>
      <ErrorNotice error={revoke.error} />
      <Table label={t.people.tokens}>
        <thead>
          <tr>
            <th scope="col">{t.people.tokenName}</th>
            <th scope="col">{t.people.scope}</th>
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
                <strong>{token.name}</strong>
                <div className={styles.prefix}>{token.prefix}…</div>
              </td>
              <td>
                {t.people.scopes[token.scope]}
                {token.project_id !== null && (
                  <div className={styles.prefix}>{t.people.opensOne(token.project_id)}</div>
                )}
              </td>
              <td>{formatDate(token.created_at)}</td>
              <td>{token.last_used_at ? formatDate(token.last_used_at) : t.common.never}</td>
              <td>{token.expires_at ? formatDate(token.expires_at) : t.common.never}</td>
              <td data-number>
                {token.revoked_at ? (
                  <Chip>{t.people.revoked}</Chip>
                ) : (
                  <Button
                    size="small"
                    kind="quiet"
                    aria-label={t.people.revokeToken(token.name)}
                    busy={revoke.isPending && revoke.variables === token.id}
                    onClick={() => revoke.mutate(token.id)}
                  >
                    {t.people.revoke}
                  </Button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </Table>
    </>
  );
}
