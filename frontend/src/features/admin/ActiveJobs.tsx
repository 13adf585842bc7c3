import { Link } from "react-router";
import type { ActiveJob } from "../../api/types";
import { t } from "../../strings";
import { Chip } from "../../ui/Chip";
import { formatDateTime } from "../../ui/format";
import { Meter } from "../../ui/Meter";
import { Said } from "../../ui/Said";
import { Table } from "../../ui/Table";
import styles from "./AdminScreen.module.css";

const { workers: text } = t.admin;

/** Jobs of all projects that wait or run. */
export function ActiveJobs({ jobs }: { jobs: ActiveJob[] }) {
  if (jobs.length === 0) return <p className={styles.quiet}>{text.noJobs}</p>;
  return (
    <Table label={text.jobs}>
      <thead>
        <tr>
          {[text.job, text.project, text.state, t.jobs.all.columns.created, text.progress].map(
            (name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ),
          )}
        </tr>
      </thead>
      <tbody>
        {jobs.map((job) => (
          <tr key={job.id}>
            <th scope="row">
              <Link to={`/projects/${job.project_id}/jobs/${job.parent_id ?? job.id}`}>
                {t.jobs.titled(t.overview.job[job.kind] ?? job.kind, job.id)}
              </Link>
            </th>
            <td>{job.project ?? "–"}</td>
            <td>
              <Chip tone="gold">{t.jobs.states[job.state]}</Chip>
            </td>
            <td className={styles.nowrap}>{formatDateTime(job.created_at)}</td>
            <td className={styles.meter}>
              <Progress job={job} />
            </td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

function Progress({ job: { progress, message, state } }: { job: ActiveJob }) {
  if (!progress || state !== "running") return message ? <Said>{message}</Said> : "–";
  return (
    <Meter
      label={t.common.phases[progress.phase] ?? progress.phase}
      value={progress.step}
      max={progress.steps || 1}
      text={progress.steps > 0 ? t.overview.step(progress.step, progress.steps) : ""}
    />
  );
}
