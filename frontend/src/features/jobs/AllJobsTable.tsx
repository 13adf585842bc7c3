import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "react-router";
import { useTitles } from "../../api/algorithms";
import { projectQuery } from "../../api/projects";
import { cancelJob, isActive, retryJob } from "../../api/rounds";
import type { Job } from "../../api/types";
import { t } from "../../strings";
import { Button, ButtonLink } from "../../ui/Button";
import { Chip } from "../../ui/Chip";
import { ErrorNotice } from "../../ui/ErrorNotice";
import { formatDateTime, formatSeconds } from "../../ui/format";
import { doneBy, sentenceOf } from "../../ui/jobs/outcome";
import { isPaused } from "../../ui/jobs/PausedJob";
import { Meter } from "../../ui/Meter";
import { Table } from "../../ui/Table";
import { useSaid } from "../../ui/titled";
import styles from "./AllJobs.module.css";
import { TONES, tookOf } from "./RunsTable";
import { kindName } from "./useKinds";

const { all: text } = t.jobs;

const nameOf = (job: Job, isLearned: boolean): string =>
  t.jobs.titled(kindName(job.kind, isLearned), job.id);

type AllJobsTableProps = {
  projectId: number;
  /** Whether people put rows in order there. */
  isLearned: boolean;
  jobs: Job[];
};

export function AllJobsTable({ projectId, isLearned, jobs }: AllJobsTableProps) {
  const client = useQueryClient();
  const act = useMutation({
    mutationFn: ({ job, action }: { job: Job; action: typeof cancelJob }) => action(job.id),
    onSettled: () => client.invalidateQueries({ queryKey: projectQuery(projectId).queryKey }),
  });
  const { columns } = text;
  return (
    <>
      <ErrorNotice error={act.error} />
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
                <Link to={`/projects/${projectId}/jobs/${job.id}`}>{nameOf(job, isLearned)}</Link>
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
                  name={nameOf(job, isLearned)}
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
  const said = useSaid();
  const told = sentenceOf(job);
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
  if (isPaused(job)) return t.paused.short(job.pause.done, job.pause.of);
  return (
    <>
      <span className={styles.brief}>
        {job.state === "succeeded" || told === null ? (doneBy(job, titleOf) ?? "–") : said(told)}
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
  if (isActive(job)) {
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
  if (isPaused(job)) {
    return (
      <ButtonLink
        manages
        size="small"
        kind="quiet"
        aria-label={`${t.paused.decide}: ${name}`}
        to={`/projects/${job.project_id}/jobs/${job.id}`}
      >
        {t.paused.decide}
      </ButtonLink>
    );
  }
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
