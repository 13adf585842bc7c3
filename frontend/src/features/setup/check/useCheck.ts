import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useSyncExternalStore } from "react";
import { importsQuery, startImport } from "../../../api/imports";
import { projectQuery, updateProject } from "../../../api/projects";
import { isActive, jobsOfKindQuery, startJob } from "../../../api/rounds";
import type { Job, Project } from "../../../api/types";
import { toInputs, withNew } from "../classes";
import { planOf } from "../plan";
import { type UploadEntry, uploadsOf } from "../uploads";
import { type Labels, labelsOf } from "./labels";

export const STEPS = ["sending", "reading", "importing", "judging"] as const;

/** How far a check is. It follows from what the server has, so that a reload loses nothing. */
export type Check = {
  step: (typeof STEPS)[number] | null;
  upload: UploadEntry | undefined;
  job: Job | undefined;
  /** What the plan says of the labels, while it is known. */
  labels: Labels | null;
  /** Why it does not go on. */
  error: Error | null;
  isPending: boolean;
};

const isFound = (job: Job): boolean => !job.dry_run;

/** Take a data set from its upload to the job that judges its labels, a step at a time. */
export function useCheck(project: Project): Check {
  const { id } = project;
  const client = useQueryClient();
  const often = ({ state }: { state: { data: { items: Job[] } | undefined } }) =>
    !state.data || state.data.items.some(isActive) ? 2_000 : false;
  const imports = useQuery({ ...importsQuery(id), refetchInterval: often });
  const relabels = useQuery({ ...jobsOfKindQuery(id, "relabel"), refetchInterval: often });
  const uploads = uploadsOf(id);
  const [upload] = useSyncExternalStore(uploads.subscribe, uploads.getEntries);
  const onSettled = () => client.invalidateQueries({ queryKey: projectQuery(id).queryKey });

  const judged = relabels.data?.items.find(isFound);
  const imported = imports.data?.items.find(isFound);
  const planned = imports.data?.items.find((job) => job.dry_run);
  const plan = planned ? planOf(planned) : null;
  const labels = plan && labelsOf(plan);
  const isGood = labels !== null && labels.classes.length > 1 && !labels.isCut;

  const answer = useMutation({
    mutationFn: async ({ job, found }: { job: Job; found: Labels }) => {
      const drafts = found.classes.reduce(withNew, []);
      await updateProject(id, { classes: toInputs(drafts) });
      return startImport(id, job.id, {
        split: "pool",
        annotation_columns: found.columns,
        folder_split: found.folders,
        dry_run: false,
      });
    },
    onSettled,
  });
  const judge = useMutation({ mutationFn: () => startJob(id, "relabel", {}), onSettled });

  const isReady = imports.isSuccess && relabels.isSuccess;
  const asksAnswer = isReady && !judged && !imported && isGood && answer.isIdle;
  const asksJudge = isReady && !judged && imported?.state === "succeeded" && judge.isIdle;
  const { mutate: answerNow } = answer;
  const { mutate: judgeNow } = judge;
  useEffect(() => {
    if (asksAnswer && planned && labels) answerNow({ job: planned, found: labels });
  }, [asksAnswer, planned, labels, answerNow]);
  useEffect(() => {
    if (asksJudge) judgeNow();
  }, [asksJudge, judgeNow]);

  const job = judged ?? imported ?? planned;
  return {
    step: stepOf(judged, imported, planned, upload),
    upload,
    job,
    labels: imported ? null : labels,
    error: answer.error ?? judge.error ?? imports.error ?? relabels.error,
    isPending: !isReady,
  };
}

function stepOf(
  judged: Job | undefined,
  imported: Job | undefined,
  planned: Job | undefined,
  upload: UploadEntry | undefined,
): Check["step"] {
  if (judged || imported?.state === "succeeded") return "judging";
  if (imported) return "importing";
  if (planned) return "reading";
  return upload ? "sending" : null;
}
