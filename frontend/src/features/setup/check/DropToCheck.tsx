import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useNavigate } from "react-router";
import { importsQuery } from "../../../api/imports";
import { projectQuery, projectsQuery } from "../../../api/projects";
import { t } from "../../../strings";
import { Button } from "../../../ui/Button";
import { Card } from "../../../ui/Card";
import { Dialog, DialogActions } from "../../../ui/Dialog";
import { Notice } from "../../../ui/State";
import { DropZone } from "../DropZone";
import { isArchive, type Source } from "../folders";
import { uploadsOf } from "../uploads";
import { createLike } from "./begin";

type Wish = "check" | "settings";

/** A labeled data set dropped on the first page becomes a project, and its labels are looked at. */
export default function DropToCheck() {
  const [content, setContent] = useState<File | Source | null>(null);
  const [refused, setRefused] = useState<string | null>(null);
  const client = useQueryClient();
  const navigate = useNavigate();
  const begin = useMutation({
    mutationFn: async ({ content, wish }: { content: File | Source; wish: Wish }) => {
      const project = await createLike(content);
      uploadsOf(project.id).add({ content, split: "pool", annotations: [], dryRun: true }, () =>
        client.invalidateQueries({ queryKey: importsQuery(project.id).queryKey }),
      );
      return { project, wish };
    },
    onSuccess: ({ project, wish }) => {
      client.setQueryData(projectQuery(project.id).queryKey, project);
      client.invalidateQueries({ queryKey: projectsQuery.queryKey });
      navigate(`/projects/${project.id}/${wish}`);
    },
  });
  const take = (files: File[], folders: Source[]) => {
    const folder = folders.find((one) => one.files.length > 0);
    const found = folder ?? files.find((file) => isArchive(file.name)) ?? null;
    const other = folders[0] ?? files[0];
    setRefused(found === null && other ? other.name : null);
    begin.reset();
    setContent(found);
  };
  return (
    <Card title={t.check.title} hint={t.check.hint}>
      <DropZone label={t.check.dropHere} accept=".zip,.parquet" onTake={take} />
      {refused !== null && <Notice tone="bad">{t.check.refused(refused)}</Notice>}
      {content && (
        <Dialog title={t.check.what(content.name)} onClose={() => setContent(null)}>
          <p>{t.check.whatHint}</p>
          {begin.error && <Notice tone="bad">{begin.error.message}</Notice>}
          <DialogActions>
            <Button
              disabled={begin.isPending}
              onClick={() => begin.mutate({ content, wish: "settings" })}
            >
              {t.check.labelThem}
            </Button>
            <Button
              kind="primary"
              busy={begin.isPending}
              onClick={() => begin.mutate({ content, wish: "check" })}
            >
              {t.check.find}
            </Button>
          </DialogActions>
        </Dialog>
      )}
    </Card>
  );
}
