import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useNavigate } from "react-router";
import { deleteProject, projectQuery, projectsQuery } from "../../api/projects";
import type { Project } from "../../api/types";
import { t } from "../../strings";
import { Button } from "../../ui/Button";
import { Card } from "../../ui/Card";
import { ConfirmDialog } from "../../ui/ConfirmDialog";
import styles from "./SetupScreen.module.css";

export function DangerCard({ project }: { project: Project }) {
  const [asking, setAsking] = useState(false);
  const client = useQueryClient();
  const navigate = useNavigate();
  const remove = useMutation({
    mutationFn: () => deleteProject(project.id),
    onSuccess: () => {
      navigate("/");
      client.removeQueries({ queryKey: projectQuery(project.id).queryKey });
      client.invalidateQueries({ queryKey: projectsQuery.queryKey });
    },
  });
  return (
    <Card
      title={t.setup.danger}
      hint={t.setup.dangerHint}
      actions={
        <Button
          kind="danger"
          disabled={project.state === "running"}
          onClick={() => setAsking(true)}
        >
          {t.setup.deleteProject}
        </Button>
      }
    >
      {project.state === "running" && <p className={styles.quiet}>{t.setup.dangerPause}</p>}
      {asking && (
        <ConfirmDialog
          title={t.setup.deleteConfirm(project.name)}
          text={t.setup.deleteText}
          action={t.setup.deleteProject}
          danger
          busy={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate()}
          onClose={() => setAsking(false)}
        />
      )}
    </Card>
  );
}
