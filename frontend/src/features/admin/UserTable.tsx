import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";
import { updateUser, usersQuery } from "../../api/auth";
import type { Role, User, UserActivity } from "../../api/types";
import { t } from "../../strings";
import { Chip } from "../../ui/Chip";
import { ConfirmDialog } from "../../ui/ConfirmDialog";
import { ErrorNotice } from "../../ui/ErrorNotice";
import { formatCount, formatDateTime } from "../../ui/format";
import { SavedSelect } from "../../ui/SavedSelect";
import { Table } from "../../ui/Table";
import styles from "./AdminScreen.module.css";
import { EraseUserDialog } from "./EraseUserDialog";
import { ResetFactorDialog } from "./ResetFactorDialog";
import { ResetPasswordDialog } from "./ResetPasswordDialog";
import { type Asked, UserActions } from "./UserActions";

const { users: text } = t.admin;

type Change = { id: number; active?: boolean; second_factor_required?: boolean };

/** Everybody, what they may do, and what they can come in with. */
export function UserTable({ users, me }: { users: UserActivity[]; me: User }) {
  const client = useQueryClient();
  const [asked, setAsked] = useState<{ what: Asked; user: User } | null>(null);
  const close = () => setAsked(null);
  // The key of all users is the beginning of that of their activity.
  const onSettled = () => client.invalidateQueries({ queryKey: usersQuery.queryKey });
  const update = useMutation({
    mutationFn: ({ id, ...body }: Change) => updateUser(id, body),
    onSettled,
  });
  return (
    <>
      {update.error && asked?.what !== "deactivate" && <ErrorNotice error={update.error} />}
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
              <span className="visually-hidden">{text.actions}</span>
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
                <SavedSelect
                  label={t.people.roleOf(user.name)}
                  hideLabel
                  value={user.role}
                  disabled={user.id === me.id || user.erased_at !== null}
                  save={(role) => updateUser(user.id, { role: role as Role })}
                  onSettled={onSettled}
                >
                  {Object.entries(t.people.roles).map(([role, name]) => (
                    <option key={role} value={role}>
                      {name}
                    </option>
                  ))}
                </SavedSelect>
              </td>
              <td>
                <StateChip user={user} />
                <SignInNotes user={user} />
              </td>
              <td className={styles.nowrap}>
                {user.signed_in_at ? formatDateTime(user.signed_in_at) : "–"}
                <div className={styles.quiet}>
                  <Link to={`/admin/audit?person=${user.id}`} aria-label={text.didOf(user.name)}>
                    {text.did}
                  </Link>
                </div>
              </td>
              <td data-number>{formatCount(user.projects)}</td>
              <td data-number>{formatCount(user.sessions)}</td>
              <td data-number>
                <Link
                  to={`/admin/tokens?user=${user.id}`}
                  aria-label={text.tokensOf(user.tokens, user.name)}
                >
                  {formatCount(user.tokens)}
                </Link>
              </td>
              <td data-number>
                {user.id !== me.id && user.erased_at === null && (
                  <UserActions
                    user={user}
                    isChanging={update.isPending && update.variables.id === user.id}
                    onChange={(change) => update.mutate({ id: user.id, ...change })}
                    onAsk={(what) => setAsked({ what, user })}
                  />
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </Table>
      {asked?.what === "deactivate" && (
        <ConfirmDialog
          title={text.deactivateTitle(asked.user.name)}
          text={text.deactivateText}
          action={t.people.deactivate}
          danger
          does={update}
          onConfirm={() =>
            update.mutate({ id: asked.user.id, active: false }, { onSuccess: close })
          }
          onClose={close}
        />
      )}
      {asked?.what === "erase" && <EraseUserDialog user={asked.user} onClose={close} />}
      {asked?.what === "password" && <ResetPasswordDialog user={asked.user} onClose={close} />}
      {asked?.what === "factor" && <ResetFactorDialog user={asked.user} onClose={close} />}
    </>
  );
}

function StateChip({ user }: { user: UserActivity }) {
  if (user.erased_at !== null) return <Chip>{t.erasure.erased}</Chip>;
  if (!user.active) return <Chip>{t.people.inactive}</Chip>;
  if (user.locked) return <Chip tone="bad">{text.locked}</Chip>;
  if (user.must_change_password) return <Chip tone="gold">{text.temporary}</Chip>;
  return <Chip tone="good">{t.people.active}</Chip>;
}

/** How somebody comes in, where it is more than a password. */
function SignInNotes({ user }: { user: UserActivity }) {
  const { factor } = t.signIn;
  const notes = [
    user.single_sign_on && factor.single,
    user.second_factor && factor.stateOn,
    user.second_factor_required && !user.second_factor && factor.stateMissing,
  ].filter((note) => note !== false);
  return (
    <div className={styles.notes}>
      {notes.map((note) => (
        <span key={note}>{note}</span>
      ))}
    </div>
  );
}
