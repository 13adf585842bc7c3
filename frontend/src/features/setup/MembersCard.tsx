import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { usersQuery } from "../../api/auth";
import { addMember, membersQuery, removeMember } from "../../api/projects";
import type { Project } from "../../api/types";
import { t } from "../../strings";
import { Button } from "../../ui/Button";
import { SelectField } from "../../ui/Field";
import { FoldedCard } from "../../ui/FoldedCard";
import { Failure, Loading, Notice, Skeleton } from "../../ui/State";
import styles from "./SetupScreen.module.css";

export function MembersCard({ project }: { project: Project }) {
  const members = useQuery(membersQuery(project.id));
  const users = useQuery(usersQuery);
  const [chosen, setChosen] = useState("");
  const client = useQueryClient();
  const onSettled = () => client.invalidateQueries({ queryKey: membersQuery(project.id).queryKey });
  const add = useMutation({
    mutationFn: (userId: number) => addMember(project.id, userId),
    onSuccess: () => setChosen(""),
    onSettled,
  });
  const remove = useMutation({
    mutationFn: (userId: number) => removeMember(project.id, userId),
    onSettled,
  });
  const known = new Set(members.data?.items.map(({ user }) => user.id));
  const others = users.data?.items.filter((user) => user.active && !known.has(user.id)) ?? [];
  const error = add.error ?? remove.error;
  return (
    <FoldedCard
      title={t.setup.members.title}
      hint={t.setup.members.hint}
      id="members"
      brief={members.data?.items.map(({ user }) => user.name).join(", ")}
    >
      {members.isPending && (
        <Loading>
          <Skeleton height="5rem" />
        </Loading>
      )}
      {members.error && <Failure error={members.error} onRetry={() => members.refetch()} />}
      {members.data && (
        <ul className={styles.rows} aria-label={t.setup.members.title}>
          {members.data.items.map(({ user }) => (
            <li key={user.id}>
              <div>
                {user.name}
                <div className={styles.quiet}>
                  {user.email} · {t.people.roles[user.role]}
                </div>
              </div>
              <Button
                size="small"
                kind="quiet"
                aria-label={t.setup.members.remove(user.name)}
                busy={remove.isPending && remove.variables === user.id}
                onClick={() => remove.mutate(user.id)}
              >
                {t.common.remove}
              </Button>
            </li>
          ))}
        </ul>
      )}
      {others.length > 0 && (
        <form
          className={styles.add}
          onSubmit={(event) => {
            event.preventDefault();
            if (chosen) add.mutate(Number(chosen));
          }}
        >
          <SelectField
            label={t.setup.members.add}
            value={chosen}
            onChange={(event) => setChosen(event.target.value)}
          >
            <option value="">{t.setup.members.choose}</option>
            {others.map((user) => (
              <option key={user.id} value={user.id}>
                {user.name} ({user.email})
              </option>
            ))}
          </SelectField>
          <Button type="submit" disabled={!chosen} busy={add.isPending}>
            {t.setup.members.add}
          </Button>
        </form>
      )}
      {error && <Notice tone="bad">{error.message}</Notice>}
    </FoldedCard>
  );
}
