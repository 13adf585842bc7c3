import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { usersQuery } from "../../api/auth";
import { membersQuery, putMember, removeMember } from "../../api/projects";
import type { Project, ProjectRole, User } from "../../api/types";
import { t } from "../../strings";
import { Button } from "../../ui/Button";
import { ErrorNotice } from "../../ui/ErrorNotice";
import { Fetching } from "../../ui/Fetching";
import { SelectField } from "../../ui/Field";
import { FoldedCard } from "../../ui/FoldedCard";
import { SavedSelect } from "../../ui/SavedSelect";
import styles from "./SetupScreen.module.css";

const { members: text } = t.setup;
const ROLES = Object.keys(text.roles) as ProjectRole[];

/** What somebody is most likely wanted for. */
const likely = (user: User | undefined): ProjectRole =>
  user === undefined || user.role === "annotator" ? "annotator" : "manager";

/** Who is in the project, and as what. */
export function MembersCard({ project }: { project: Project }) {
  const members = useQuery(membersQuery(project.id));
  const users = useQuery(usersQuery);
  const [chosen, setChosen] = useState("");
  const [role, setRole] = useState<ProjectRole>("annotator");
  const client = useQueryClient();
  const onSettled = () => client.invalidateQueries({ queryKey: membersQuery(project.id).queryKey });
  const add = useMutation({
    mutationFn: (userId: number) => putMember(project.id, userId, role),
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
      title={text.title}
      hint={text.hint}
      id="members"
      brief={members.data?.items.map(({ user }) => user.name).join(", ")}
    >
      <Fetching of={members} height="5rem" />
      {members.data && (
        <ul className={styles.rows} aria-label={text.title}>
          {members.data.items.map(({ user, role: held }) => (
            <li key={user.id} className={styles.member}>
              <div>
                {user.name}
                <div className={styles.quiet}>{user.email}</div>
              </div>
              {user.role === "admin" ? (
                // Admins manage every project, whatever they are in it.
                <span className={styles.quiet}>{t.people.roles.admin}</span>
              ) : (
                <SavedSelect
                  label={text.roleOf(user.name)}
                  hideLabel
                  value={held}
                  save={(to) => putMember(project.id, user.id, to as ProjectRole)}
                  onSettled={onSettled}
                >
                  <Roles />
                </SavedSelect>
              )}
              <Button
                size="small"
                kind="quiet"
                aria-label={text.remove(user.name)}
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
            label={text.add}
            value={chosen}
            onChange={({ target }) => {
              setChosen(target.value);
              setRole(likely(others.find(({ id }) => String(id) === target.value)));
            }}
          >
            <option value="">{text.choose}</option>
            {others.map((user) => (
              <option key={user.id} value={user.id}>
                {user.name} ({user.email})
              </option>
            ))}
          </SelectField>
          <SelectField
            label={text.role}
            hint={text.roleHints[role]}
            value={role}
            onChange={({ target }) => setRole(target.value as ProjectRole)}
          >
            <Roles />
          </SelectField>
          <Button type="submit" disabled={!chosen} busy={add.isPending}>
            {text.add}
          </Button>
        </form>
      )}
      <ErrorNotice error={error} />
    </FoldedCard>
  );
}

const Roles = () =>
  ROLES.map((one) => (
    <option key={one} value={one}>
      {text.roles[one]}
    </option>
  ));
