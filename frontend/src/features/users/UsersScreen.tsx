import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { updateUser, usersQuery } from "../../api/auth";
import type { Role, User } from "../../api/types";
import { t } from "../../strings";
import { Button } from "../../ui/Button";
import { Card } from "../../ui/Card";
import { Chip } from "../../ui/Chip";
import { SelectField } from "../../ui/Field";
import { Failure, Loading, Notice, Skeleton } from "../../ui/State";
import { Table } from "../../ui/Table";
import { AddUserDialog } from "./AddUserDialog";
import styles from "./UsersScreen.module.css";

export function UsersScreen({ me }: { me: User }) {
  const users = useQuery(usersQuery);
  const [adding, setAdding] = useState(false);
  return (
    <div className={styles.page}>
      <header className={styles.header}>
        <div>
          <h1>{t.people.usersTitle}</h1>
          <p className={styles.quiet}>{t.people.usersHint}</p>
        </div>
        <Button kind="primary" onClick={() => setAdding(true)}>
          {t.people.addUser}
        </Button>
      </header>
      <Card>
        {users.isPending && (
          <Loading>
            <Skeleton height="10rem" />
          </Loading>
        )}
        {users.error && <Failure error={users.error} onRetry={() => users.refetch()} />}
        {users.data && <UserTable users={users.data.items} me={me} />}
      </Card>
      {adding && <AddUserDialog onClose={() => setAdding(false)} />}
    </div>
  );
}

function UserTable({ users, me }: { users: User[]; me: User }) {
  const client = useQueryClient();
  const update = useMutation({
    mutationFn: (change: { id: number; role?: Role; active?: boolean }) => {
      const { id, ...body } = change;
      return updateUser(id, body);
    },
    onSettled: () => client.invalidateQueries({ queryKey: usersQuery.queryKey }),
  });
  return (
    <>
      {update.error && <Notice tone="bad">{update.error.message}</Notice>}
      <Table label={t.people.usersTitle}>
        <thead>
          <tr>
            <th scope="col">{t.people.name}</th>
            <th scope="col">{t.people.role}</th>
            <th scope="col">{t.people.state}</th>
            <th scope="col">
              <span className="visually-hidden">{t.people.deactivate}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {users.map((user) => (
            <tr key={user.id}>
              <td>
                <strong>{user.name}</strong>
                {user.id === me.id && <span className={styles.quiet}> ({t.people.you})</span>}
                <div className={styles.quiet}>{user.email}</div>
              </td>
              <td>
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
                <Chip tone={user.active ? "good" : "plain"}>
                  {user.active ? t.people.active : t.people.inactive}
                </Chip>
              </td>
              <td data-number>
                {user.id !== me.id && (
                  <Button
                    size="small"
                    kind="quiet"
                    busy={update.isPending && update.variables.id === user.id}
                    aria-label={
                      user.active
                        ? t.people.deactivateUser(user.name)
                        : t.people.activateUser(user.name)
                    }
                    onClick={() => update.mutate({ id: user.id, active: !user.active })}
                  >
                    {user.active ? t.people.deactivate : t.people.activate}
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
