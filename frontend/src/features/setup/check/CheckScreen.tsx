import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Navigate } from "react-router";
import { projectQuery } from "../../../api/projects";
import { isActive, retryJob } from "../../../api/rounds";
import type { Job, Project } from "../../../api/types";
import { t } from "../../../strings";
import { Button, ButtonLink } from "../../../ui/Button";
import { Card } from "../../../ui/Card";
import { formatWholePercent } from "../../../ui/format";
import { JobAtWork } from "../../../ui/jobs/JobAtWork";
import { sentenceOf } from "../../../ui/jobs/outcome";
import { Meter } from "../../../ui/Meter";
import { Said } from "../../../ui/Said";
import { Loading, Notice, Skeleton } from "../../../ui/State";
import { StepMark } from "../../../ui/StepMark";
import type { UploadEntry } from "../uploads";
import styles from "./CheckScreen.module.css";
import { type Check, STEPS, useCheck } from "./useCheck";

/** From a data set that was dropped to the review of its labels. */
export function CheckScreen({ project }: { project: Project }) {
  const check = useCheck(project);
  const { step, job, isPending } = check;
  if (isPending && step !== "sending") {
    return (
      <Loading>
        <Skeleton height="14rem" />
      </Loading>
    );
  }
  if (step === "judging" && job?.kind === "relabel" && job.state === "succeeded")
    return <Navigate to={`/projects/${project.id}/jobs/${job.id}`} replace />;
  const settings = `/projects/${project.id}/settings`;
  if (step === null) {
    return (
      <Notice actions={<ButtonLink to={settings}>{t.check.toSettings}</ButtonLink>}>
        {t.check.nothingSent}
      </Notice>
    );
  }
  const problem = problemOf(check);
  return (
    <Card title={t.check.title} hint={t.check.meanwhile}>
      <ol className={styles.steps}>
        {STEPS.map((one, index) => {
          const state = stateOf(index, STEPS.indexOf(step));
          return (
            <li key={one} data-state={state} aria-current={one === step ? "step" : undefined}>
              <StepMark state={state} />
              {t.check.steps[one]}
            </li>
          );
        })}
      </ol>
      {problem === null ? (
        <Now check={check} projectId={project.id} />
      ) : (
        <Notice
          tone="bad"
          actions={
            <>
              {job && <RetryButton projectId={project.id} job={job} />}
              <ButtonLink size="small" to={settings}>
                {t.check.toSettings}
              </ButtonLink>
            </>
          }
        >
          <Said>{problem}</Said>
        </Notice>
      )}
      {check.labels && check.labels.single.length > 0 && problem === null && (
        <Notice>{t.check.single(check.labels.single)}</Notice>
      )}
    </Card>
  );
}

const stateOf = (index: number, now: number): "done" | "now" | "next" => {
  if (index === now) return "now";
  return index < now ? "done" : "next";
};

/** Why it does not go on by itself; null if it does. */
function problemOf({ step, upload, job, labels, error }: Check): string | Error | null {
  if (error) return error;
  if (step === "sending") return upload?.error ?? null;
  if (job?.state === "failed") return sentenceOf(job);
  if (job?.state === "cancelled") return t.jobs.stopped;
  if (labels?.isCut) return t.check.cut;
  if (labels && labels.classes.length < 2) {
    const [only] = labels.classes;
    if (only === undefined)
      return labels.single.length > 0 ? t.check.onlySingle(labels.single) : t.check.noLabels;
    return t.check.oneClass(only);
  }
  return null;
}

function Now({ check: { step, upload, job }, projectId }: { check: Check; projectId: number }) {
  const client = useQueryClient();
  if (step === "sending" && upload) return <Sending entry={upload} />;
  if (!job || !isActive(job)) return <Meter label={t.check.next} value={0} max={1} />;
  return (
    <JobAtWork
      job={job}
      onSettled={() => client.invalidateQueries({ queryKey: projectQuery(projectId).queryKey })}
    />
  );
}

function Sending({ entry: { state, sent, total } }: { entry: UploadEntry }) {
  return (
    <Meter
      label={state === "packing" ? t.check.packing : t.check.steps.sending}
      value={sent}
      max={total}
      text={total > 0 ? formatWholePercent(sent / total) : ""}
    />
  );
}

function RetryButton({ projectId, job }: { projectId: number; job: Job }) {
  const client = useQueryClient();
  const retry = useMutation({
    mutationFn: () => retryJob(job.id),
    onSettled: () => client.invalidateQueries({ queryKey: projectQuery(projectId).queryKey }),
  });
  if (job.state !== "failed" && job.state !== "cancelled") return null;
  return (
    <Button size="small" busy={retry.isPending} onClick={() => retry.mutate()}>
      {t.jobs.retry}
    </Button>
  );
}
