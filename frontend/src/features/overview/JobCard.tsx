import { useMutation, useQueryClient } from "@tanstack/react-query";
import { projectQuery } from "../../api/projects";
import { cancelJob, retryJob } from "../../api/rounds";
import type { Job, JobProgress } from "../../api/types";
import { t } from "../../strings";
import { Button, ButtonLink } from "../../ui/Button";
import { Card } from "../../ui/Card";
import { ErrorNotice } from "../../ui/ErrorNotice";
import { formatSeconds } from "../../ui/format";
import { sentenceOf } from "../../ui/jobs/outcome";
import { isPaused, PausedJob } from "../../ui/jobs/PausedJob";
import { Meter } from "../../ui/Meter";
import { Said } from "../../ui/Said";
import { Notice } from "../../ui/State";
import { useSaid } from "../../ui/titled";
import styles from "./JobCard.module.css";

type JobCardProps = {
  job: Job;
  projectId: number;
  /** What it is called here, if not as everywhere. */
  name?: string | undefined;
};

/** A job at work, step by step, why it failed, or how it may go on. */
export function JobCard({ job, projectId, name }: JobCardProps) {
  const client = useQueryClient();
  const said = useSaid();
  const told = sentenceOf(job);
  const onSettled = () => client.invalidateQueries({ queryKey: projectQuery(projectId).queryKey });
  const retry = useMutation({ mutationFn: () => retryJob(job.id), onSettled });
  const cancel = useMutation({ mutationFn: () => cancelJob(job.id), onSettled });
  const title = name ?? t.overview.job[job.kind] ?? job.kind;
  const error = retry.error ?? cancel.error;
  if (job.state === "failed") {
    return (
      <Notice
        tone="bad"
        actions={
          <>
            <Button manages size="small" busy={retry.isPending} onClick={() => retry.mutate()}>
              {t.common.retry}
            </Button>
            {job.kind === "advance_round" && (
              <ButtonLink manages size="small" to={`/projects/${projectId}/settings#method`}>
                {t.advice.cannotTell.settings}
              </ButtonLink>
            )}
          </>
        }
      >
        <strong>
          {title}: {t.overview.jobFailed}
        </strong>
        <p>
          <Said>{error ?? told}</Said>
        </p>
        {job.progress && t.overview.jobRefined[job.progress.phase] && (
          <p>{t.overview.jobRefined[job.progress.phase]}</p>
        )}
      </Notice>
    );
  }
  if (isPaused(job)) {
    return <PausedJob key={job.attempt} job={job} name={title} onSettled={onSettled} />;
  }
  const { progress } = job;
  return (
    <Card
      title={title}
      hint={
        progress && job.state === "running"
          ? etaOf(progress)
          : ((told && said(told)) ?? t.overview.jobQueued)
      }
      actions={
        job.kind !== "advance_round" && (
          <Button
            manages
            size="small"
            kind="quiet"
            busy={cancel.isPending || job.cancel_requested}
            onClick={() => cancel.mutate()}
          >
            {t.overview.cancelJob}
          </Button>
        )
      }
    >
      {progress && <Phases progress={progress} />}
      {job.state === "queued" && hasOpened(job) && <p>{t.overview.jobRefined.warm_start}</p>}
      <ErrorNotice error={error} />
    </Card>
  );
}

/** Whether the first queue of a project is open, and what is left of its job waits. */
const hasOpened = ({ kind, params, progress }: Job): boolean =>
  kind === "advance_round" && params.closing === null && progress?.phase === "embed";

const nameOf = (phase: string): string => t.common.phases[phase] ?? phase;

const etaOf = ({ eta_seconds: eta }: JobProgress): string =>
  eta === null ? t.overview.jobRunning : t.overview.jobEta(formatSeconds(eta));

function Phases({ progress }: { progress: JobProgress }) {
  const { phases, phase_index: at, step, steps, seconds } = progress;
  return (
    <>
      <Meter
        label={nameOf(progress.phase)}
        value={at + (steps > 0 ? step / steps : 0)}
        max={phases.length}
        text={steps > 1 ? t.overview.step(step, steps) : ""}
      />
      <ol className={styles.phases}>
        {phases.map((phase, index) => (
          <li
            key={phase}
            data-state={index < at ? "done" : index === at ? "now" : "next"}
            aria-current={index === at ? "step" : undefined}
          >
            {nameOf(phase)}
            {seconds[phase] !== undefined && <small>{formatSeconds(seconds[phase])}</small>}
          </li>
        ))}
      </ol>
    </>
  );
}
