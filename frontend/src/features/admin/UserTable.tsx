import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";
import { updateUser, usersQuery } from "../../api/auth";
import type { Role, User, UserActivity } from "../../api/types";
import { t } from "../../strings";
import { Chip } from "../../ui/Chip";
import { ConfirmDialog } from "../../ui/ConfirmDialog";
import { SelectField } from "../../ui/Field";
import { formatCount, formatDateTime } from "../../ui/format";
import { Menu } from "../../ui/Menu";
import { Notice } from "../../ui/State";
import { Table } from "../../ui/Table";
import styles from "./AdminScreen.module.css";
import { ResetPasswordDialog } from "./ResetPasswordDialog";

const { users: text } = t.admin;

type Change = { id: number; role?: Role; active?: boolean };

/** Everybody, what they may do, and what they can come in with. */
export function UserTable({ users, me }: { users: UserActivity[]; me: User }) {
  const client = useQueryClient();
  const [leaving, setLeaving] = useState<User | null>(null);
  const [resetting, setResetting] = useState<User | null>(null);
  const update = useMutation({
    mutationFn: ({ id, ...body }: Change) => updateUser(id, body),
    onSuccess: () => setLeaving(null),
    // The key of all users is the beginning of that of their activity.
    onSettled: () => client.invalidateQueries({ queryKey: usersQuery.queryKey }),
  });
  return (
    <>
      {update.error && !leaving && <Notice tone="bad">{update.error.message}</Notice>}
      <Table label={t.people.usersTitle}>
        <thead>
          <tr>
            <th scope="col">{t.people.name}</th>
            <th scope="col">{t.people.role}</th>
            <th scope="col">{t.people.state}</th>
            <th scope="col">{text.signedIn}</th>
            <th scope="col" data-number>
              {text.projects}
            </th>
            <th scope="col" data-number>
              {text.sessions}
            </th>
            <th scope="col" data-number>
              {text.tokens}
            </th>
            <th scope="col">
              <span className="visually-hidden">{text.more}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {users.map((user) => (
            <tr key={user.id}>
              <th scope="row">
                <strong>{user.name}</strong>
                {user.id === me.id && <span className={styles.quiet}> ({t.people.you})</span>}
                <div className={styles.quiet}>{user.email}</div>
              </th>
              <td className={styles.select}>
                <SelectField
                  label={t.people.roleOf(user.name)}
                  hideLabel
                  value={user.role}
                  disabled={user.id === me.id || update.isPending}
                  onChange={(event) =>
                    update.mutate({ id: user.id, role: event.target.value as Role })
                  }
                >
                  {Object.entries(t.people.roles).map(([role, name]) => (
                    <option key={role} value={role}>
                      {name}
                    </option>
                  ))}
                </SelectField>
              </td>
              <td>
                <StateChip user={user} />
              </td>
              <td className={styles.nowrap}>
                {user.signed_in_at ? formatDateTime(user.signed_in_at) : "–"}
              </td>
              <td data-number>{formatCount(user.projects)}</td>
              <td data-number>{formatCount(user.sessions)}</td>
              <td data-number>{formatCount(user.tokens)}</td>
              <td data-number>
                <Menu kind="quiet" align="end" name={text.actions(user.name)} label={text.more}>
                  {user.id !== me.id && user.active && (
                    <button type="button" onClick={() => setResetting(user)}>
                      {text.reset}
                    </button>
                  )}
                  <Link to={`/admin/tokens?user=${user.id}`}>{text.theirTokens}</Link>
                  <Link to={`/admin/audit?person=${user.id}`}>{text.theirActions}</Link>
                  {user.id !== me.id && (
                    <>
                      <hr />
                      {user.active ? (
                        <button type="button" onClick={() => setLeaving(user)}>
                          {t.people.deactivate}
                        </button>
                      ) : (
                        <button
                          type="button"
                          onClick={() => update.mutate({ id: user.id, active: true })}
                        >
                          {t.people.activate}
                        </button>
                      )}
                    </>
                  )}
                </Menu>
              </td>
            </tr>
          ))}
        </tbody>
      </Table>
      {leaving && (
        <ConfirmDialog
          title={text.deactivateTitle(leaving.name)}
          text={text.deactivateText}
          action={t.people.deactivate}
          danger
          busy={update.isPending}
          error={update.error}
          onConfirm={() => update.mutate({ id: leaving.id, active: false })}
          onClose={() => {
            update.reset();
            setLeaving(null);
          }}
        />
      )}
      {resetting && <ResetPasswordDialog user={resetting} onClose={() => setResetting(null)} />}
    </>
  );
}

function StateChip({ user }: { user: User }) {
  if (!user.active) return <Chip>{t.people.inactive}</Chip>;
  if (user.must_change_password) return <Chip tone="gold">{text.temporary}</Chip>;
  return <Chip tone="good">{t.people.active}</Chip>;
}
