import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { importsQuery } from "../../../api/imports";
import { projectQuery, projectsQuery } from "../../../api/projects";
import { PICTURES } from "../../../media/pictures";
import { t } from "../../../strings";
import { Card } from "../../../ui/Card";
import { Notice } from "../../../ui/State";
import { useGoOn } from "../../../ui/useGoOn";
import { COMPRESSED, DropZone } from "../DropZone";
import { type Folder, sourceOf } from "../folders";
import { InView } from "../InView";
import { uploadsOf } from "../uploads";
import { createLike } from "./begin";
import { CheckDialog, type Wished } from "./CheckDialog";
import { type DataSet, dataSetOf } from "./dataSet";

const ACCEPTED = `.zip,.tar,.parquet,.csv,.tsv,.jsonl,.json,.txt,.md,${PICTURES},${COMPRESSED}`;

/** What is dropped on the first page becomes a project, to be labeled, or to have its labels looked at. */
export default function DropToCheck() {
  const [dropped, setDropped] = useState<{ turn: number; dataSet: DataSet } | null>(null);
  const turns = useRef(0);
  const [refused, setRefused] = useState<{ name: string } | null>(null);
  const client = useQueryClient();
  const goOn = useGoOn();
  const begin = useMutation({
    mutationFn: async ({ dataSet, wished }: { dataSet: DataSet; wished: Wished }) => {
      const { kind, text, label } = wished;
      const { content: given } = dataSet;
      // Before there is a project: of what cannot be read nothing is left behind.
      const content = given instanceof File ? given : await sourceOf(given, kind);
      const project = await createLike(given, kind);
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
      if (wished.wish === "check") goOn(`/projects/${project.id}/check`);
      // What is on its way is below what a project is about, and so is its plan.
      else goOn(`/projects/${project.id}/settings#images`, { state: { expectsPlan: true } });
    },
  });
  const take = async (files: File[], folders: Folder[]) => {
    turns.current += 1;
    const turn = turns.current;
    const found = await dataSetOf(files, folders);
    // Something else was dropped while this was read.
    if (turn !== turns.current) return;
    const other = folders[0] ?? files[0];
    setRefused(found === null && other ? { name: other.name } : null);
    begin.reset();
    setDropped(found && { turn, dataSet: found });
  };
  return (
    <Card title={t.check.dropTitle} hint={t.check.dropHint}>
      <DropZone label={t.check.dropHere} accept={ACCEPTED} onTake={take} />
      {refused && (
        <InView of={refused}>
          <Notice tone="bad">{t.check.refused(refused.name)}</Notice>
        </InView>
      )}
      {dropped && (
        <CheckDialog
          key={dropped.turn}
          dataSet={dropped.dataSet}
          busy={begin.isPending ? begin.variables.wished.wish : null}
          error={begin.error}
          onWish={(wished) => begin.mutate({ dataSet: dropped.dataSet, wished })}
          onClose={() => setDropped(null)}
        />
      )}
    </Card>
  );
}
