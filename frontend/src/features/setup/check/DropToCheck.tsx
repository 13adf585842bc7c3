import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useNavigate } from "react-router";
import { importsQuery } from "../../../api/imports";
import { projectQuery, projectsQuery } from "../../../api/projects";
import { t } from "../../../strings";
import { Card } from "../../../ui/Card";
import { Notice } from "../../../ui/State";
import { COMPRESSED, DropZone } from "../DropZone";
import { isArchive, type Source } from "../folders";
import { isTable, readTable, type Table, textsIn } from "../tables";
import { uploadsOf } from "../uploads";
import { createLike } from "./begin";
import { CheckDialog, type Wished } from "./CheckDialog";

/** What was dropped; with its columns, if it is a table. */
type Dropped = { content: File | Source; table: Table | null };

/** A labeled data set dropped on the first page becomes a project, and its labels are looked at. */
export default function DropToCheck() {
  const [dropped, setDropped] = useState<Dropped | null>(null);
  const [refused, setRefused] = useState<string | null>(null);
  const client = useQueryClient();
  const navigate = useNavigate();
  const begin = useMutation({
    mutationFn: async ({ content, wished }: { content: File | Source; wished: Wished }) => {
      const { medium, text, label } = wished;
      const project = await createLike(content, medium);
      const columns = { textColumn: text, labelColumn: label };
      uploadsOf(project.id).add(
        { content, split: "pool", annotations: [], ...columns, dryRun: true },
        () => client.invalidateQueries({ queryKey: importsQuery(project.id).queryKey }),
      );
      return project;
    },
    onSuccess: (project, { wished }) => {
      client.setQueryData(projectQuery(project.id).queryKey, project);
      client.invalidateQueries({ queryKey: projectsQuery.queryKey });
      navigate(`/projects/${project.id}/${wished.wish}`);
    },
  });
  const take = async (files: File[], folders: Source[]) => {
    const found = await firstOf(files, folders);
    const other = folders[0] ?? files[0];
    setRefused(found === null && other ? other.name : null);
    begin.reset();
    setDropped(found);
  };
  return (
    <Card title={t.check.title} hint={t.check.hint}>
      <DropZone
        label={t.check.dropHere}
        accept={`.zip,.tar,.parquet,.csv,.tsv,.jsonl,${COMPRESSED}`}
        onTake={(files, folders) => void take(files, folders)}
      />
      {refused !== null && <Notice tone="bad">{t.check.refused(refused)}</Notice>}
      {dropped && (
        <CheckDialog
          {...dropped}
          busy={begin.isPending ? begin.variables.wished.wish : null}
          error={begin.error}
          onWish={(wished) => begin.mutate({ content: dropped.content, wished })}
          onClose={() => setDropped(null)}
        />
      )}
    </Card>
  );
}

/** The first that can be checked: a folder, an archive, or a table that brings texts. */
async function firstOf(files: File[], folders: Source[]): Promise<Dropped | null> {
  const content =
    folders.find((one) => one.files.length > 0) ?? files.find((file) => isArchive(file.name));
  if (content) return { content, table: null };
  const file = files.find(({ name }) => isTable(name));
  const table = file && (await readTable(file));
  return file && table && textsIn(table) ? { content: file, table } : null;
}
