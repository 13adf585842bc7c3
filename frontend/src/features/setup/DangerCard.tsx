import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { deleteProject, projectQuery, projectsQuery } from "../../api/projects";
import type { Project } from "../../api/types";
import { t } from "../../strings";
import { Button } from "../../ui/Button";
import { Card } from "../../ui/Card";
import { ConfirmDialog } from "../../ui/ConfirmDialog";
import { useGoOn } from "../../ui/useGoOn";
import styles from "./SetupScreen.module.css";

export function DangerCard({ project }: { project: Project }) {
  const [asking, setAsking] = useState(false);
  const client = useQueryClient();
  const goOn = useGoOn();
  const remove = useMutation({
    mutationFn: () => deleteProject(project.id),
    onSuccess: () => {
      goOn("/");
      client.removeQueries({ queryKey: projectQuery(project.id).queryKey });
      client.invalidateQueries({ queryKey: projectsQuery.queryKey });
    },
  });
  return (
    <Card
      title={t.setup.removal.title}
      hint={t.setup.removal.hint}
      actions={
        <Button
          kind="danger"
          disabled={project.state === "running"}
          onClick={() => setAsking(true)}
        >
          {t.setup.removal.action}
        </Button>
      }
    >
      {project.state === "running" && <p className={styles.quiet}>{t.setup.removal.pause}</p>}
      {asking && (
        <ConfirmDialog
          title={t.setup.removal.confirm(project.name)}
          text={t.setup.removal.text}
          action={t.setup.removal.action}
          danger
          does={remove}
          onConfirm={() => remove.mutate()}
          onClose={() => setAsking(false)}
        />
      )}
    </Card>
  );
}
