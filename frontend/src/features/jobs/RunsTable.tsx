import { useState } from "react";
import { Link } from "react-router";
import { useTitles } from "../../api/algorithms";
import type { Job } from "../../api/types";
import { t } from "../../strings";
import { Button } from "../../ui/Button";
import { Chip } from "../../ui/Chip";
import { formatDateTime, formatSeconds } from "../../ui/format";
import { doneBy, sentenceOf } from "../../ui/jobs/outcome";
import { isPaused } from "../../ui/jobs/PausedJob";
import { Said } from "../../ui/Said";
import { Table } from "../../ui/Table";
import styles from "./AllJobs.module.css";

/** Of a job's state. */
export const TONES = {
  queued: "gold",
  running: "gold",
  paused: "gold",
  succeeded: "good",
  failed: "bad",
  cancelled: "plain",
} as const;

/** More than these are shown when asked for. */
const LATEST = 3;

/** What became of the jobs of one kind, newest first. */
export function RunsTable({ title, jobs }: { title: string; jobs: Job[] }) {
  const [whole, setWhole] = useState(false);
  const shown = whole ? jobs : jobs.slice(0, LATEST);
  return (
    <>
      <Runs title={title} jobs={shown} />
      {shown.length < jobs.length && (
        <Button size="small" onClick={() => setWhole(true)}>
          {t.jobs.earlier(jobs.length - shown.length)}
        </Button>
      )}
    </>
  );
}

function Runs({ title, jobs }: { title: string; jobs: Job[] }) {
  const { columns } = t.jobs;
  return (
    <Table label={t.jobs.runs(title)}>
      <thead>
        <tr>
          <th scope="col">{columns.started}</th>
          <th scope="col">{columns.state}</th>
          <th scope="col" data-number>
            {columns.took}
          </th>
          <th scope="col">{columns.outcome}</th>
        </tr>
      </thead>
      <tbody>
        {jobs.map((job) => (
          <tr key={job.id}>
            <td>
              <Link to={`/projects/${job.project_id}/jobs/${job.id}`}>
                {formatDateTime(job.started_at ?? job.created_at)}
              </Link>
            </td>
            <td>
              <Chip tone={TONES[job.state]}>{t.jobs.states[job.state]}</Chip>
            </td>
            <td data-number>{tookOf(job)}</td>
            <td>
              <Outcome job={job} />
            </td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

function Outcome({ job }: { job: Job }) {
  const titleOf = useTitles("instruction_selection");
  if (job.state === "failed")
    return (
      <span className={styles.brief}>
        <Said>{sentenceOf(job)}</Said>
      </span>
    );
  if (isPaused(job)) {
    return (
      <>
        {t.paused.short(job.pause.done, job.pause.of)} ·{" "}
        <Link to={`/projects/${job.project_id}/jobs/${job.id}`}>{t.paused.decide}</Link>
      </>
    );
  }
  if (job.state !== "succeeded") return job.dry_run ? t.jobs.estimate.run : "–";
  const show = job.dry_run ? undefined : t.jobs.showResult[job.kind];
  if (show) {
    const said = job.kind === "select_instructions" && doneBy(job, titleOf);
    return (
      <>
        {said && `${said} · `}
        <Link to={`/projects/${job.project_id}/jobs/${job.id}`}>{show}</Link>
      </>
    );
  }
  return doneBy(job, titleOf) ?? "–";
}

/** From the first start to the end; a dash until then. */
export function tookOf({ started_at: from, finished_at: to }: Job): string {
  return from && to ? formatSeconds((Date.parse(to) - Date.parse(from)) / 1000) : "–";
}
