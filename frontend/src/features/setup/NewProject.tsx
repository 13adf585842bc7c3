import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { createProject, projectQuery, projectsQuery } from "../../api/projects";
import { t, words } from "../../strings";
import { Button, ButtonLink } from "../../ui/Button";
import { ErrorNotice } from "../../ui/ErrorNotice";
import { TextField } from "../../ui/Field";
import { useGoOn } from "../../ui/useGoOn";
import { KindChoice } from "./KindChoice";
import { KINDS, type Kind, kinds } from "./kinds";
import styles from "./NewProject.module.css";

/** Asks for what stays, and for a name: a draft then exists, and nothing that is added to it can be lost. */
export function NewProject() {
  const [name, setName] = useState("");
  const [kind, setKind] = useState<Kind>("image");
  const { medium } = kinds[kind];
  const client = useQueryClient();
  const goOn = useGoOn();
  const create = useMutation({
    mutationFn: () => createProject(name.trim(), kinds[kind]),
    onSuccess: (project) => {
      client.setQueryData(projectQuery(project.id).queryKey, project);
      client.invalidateQueries({ queryKey: projectsQuery.queryKey });
      goOn(`/projects/${project.id}/settings`, { replace: true });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate();
  };
  return (
    <form className={styles.form} onSubmit={submit}>
      <div>
        <h1>{t.setup.newTitle}</h1>
        <p className={styles.hint}>{words[medium].setup.newHint}</p>
      </div>
      <KindChoice value={kind} offered={KINDS} onChange={setKind} />
      <TextField
        label={t.setup.name}
        placeholder={t.setup.medium.names[kind]}
        autoFocus
        autoComplete="off"
        maxLength={100}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <ErrorNotice error={create.error} />
      <div className={styles.actions}>
        <Button
          type="submit"
          kind="primary"
          size="large"
          disabled={!name.trim()}
          busy={create.isPending}
        >
          {t.setup.create}
        </Button>
        <ButtonLink to="/" kind="quiet" size="large">
          {t.common.cancel}
        </ButtonLink>
      </div>
    </form>
  );
}
