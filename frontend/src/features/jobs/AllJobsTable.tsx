import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "react-router";
import { useTitles } from "../../api/algorithms";
import { projectQuery } from "../../api/projects";
import { cancelJob, retryJob } from "../../api/rounds";
import type { Job } from "../../api/types";
import { t } from "../../strings";
import { Button } from "../../ui/Button";
import { Chip } from "../../ui/Chip";
import { formatDateTime, formatSeconds } from "../../ui/format";
import { doneBy, saidBy } from "../../ui/jobs/outcome";
import { Meter } from "../../ui/Meter";
import { Notice } from "../../ui/State";
import { Table } from "../../ui/Table";
import styles from "./AllJobs.module.css";
import { TONES, tookOf } from "./RunsTable";

const { all: text } = t.jobs;

const nameOf = (job: Job, ranks: boolean): string => {
  // Where people rank nothing is trained.
  const isClosing = ranks && job.kind === "advance_round";
  const name = isClosing ? t.overview.ranking.closing : t.overview.job[job.kind];
  return t.jobs.titled(name ?? job.kind, job.id);
};

type AllJobsTableProps = {
  projectId: number;
  /** Whether people put rows in order there. */
  ranks: boolean;
  jobs: Job[];
};

export function AllJobsTable({ projectId, ranks, jobs }: AllJobsTableProps) {
  const client = useQueryClient();
  const act = useMutation({
    mutationFn: ({ job, action }: { job: Job; action: typeof cancelJob }) => action(job.id),
    onSettled: () => client.invalidateQueries({ queryKey: projectQuery(projectId).queryKey }),
  });
  const { columns } = text;
  return (
    <>
      {act.error && <Notice tone="bad">{act.error.message}</Notice>}
      <Table label={text.title}>
        <thead>
          <tr>
            <th scope="col">{columns.job}</th>
            <th scope="col">{columns.state}</th>
            <th scope="col">{columns.created}</th>
            <th scope="col" data-number>
              {columns.took}
            </th>
            <th scope="col">{columns.outcome}</th>
            <th scope="col">
              <span className="visually-hidden">{t.jobs.stop}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {jobs.map((job) => (
            <tr key={job.id}>
              <th scope="row" className={styles.job}>
                <Link to={`/projects/${projectId}/jobs/${job.id}`}>{nameOf(job, ranks)}</Link>
                {job.dry_run && (
                  <div className={styles.quiet}>
                    {job.kind === "import_pool" ? t.jobs.estimate.preview : t.jobs.estimate.run}
                  </div>
                )}
              </th>
              <td>
                <Chip tone={TONES[job.state]} dot={job.state === "running"}>
                  {t.jobs.states[job.state]}
                </Chip>
              </td>
              <td className={styles.nowrap}>{formatDateTime(job.created_at)}</td>
              <td data-number>{tookOf(job)}</td>
              <td className={styles.outcome}>
                <Outcome job={job} />
              </td>
              <td data-number>
                <Act
                  job={job}
                  name={nameOf(job, ranks)}
                  busy={act.isPending && act.variables.job.id === job.id}
                  onAct={(action) => act.mutate({ job, action })}
                />
              </td>
            </tr>
          ))}
        </tbody>
      </Table>
    </>
  );
}

function Outcome({ job }: { job: Job }) {
  const titleOf = useTitles("instruction_selection");
  const { progress } = job;
  if (job.state === "running" && progress) {
    const eta = progress.eta_seconds;
    return (
      <Meter
        label={t.common.phases[progress.phase] ?? progress.phase}
        value={progress.step}
        max={progress.steps || 1}
        text={eta === null ? "" : t.overview.jobEta(formatSeconds(eta))}
      />
    );
  }
  return (
    <>
      <span className={styles.brief}>
        {(job.state === "succeeded" ? doneBy(job, titleOf) : saidBy(job)) ?? "–"}
      </span>
      {job.attempt > 1 && <div className={styles.quiet}>{text.attempt(job.attempt)}</div>}
    </>
  );
}

type ActProps = {
  job: Job;
  name: string;
  busy: boolean;
  onAct: (action: typeof cancelJob) => void;
};

function Act({ job, name, busy, onAct }: ActProps) {
  if (job.state === "queued" || job.state === "running") {
    return (
      <Button
        manages
        size="small"
        kind="quiet"
        aria-label={`${t.jobs.stop}: ${name}`}
        busy={busy || job.cancel_requested}
        onClick={() => onAct(cancelJob)}
      >
        {t.jobs.stop}
      </Button>
    );
  }
  if (job.state === "succeeded") return null;
  return (
    <Button
      manages
      size="small"
      kind="quiet"
      aria-label={`${t.jobs.retry}: ${name}`}
      title={t.jobs.retryHint}
      busy={busy}
      onClick={() => onAct(retryJob)}
    >
      {t.jobs.retry}
    </Button>
  );
}
