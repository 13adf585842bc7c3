import type { Algorithm, Job, Project } from "../../api/types";
import { t } from "../../strings";
import { JobControls, useJobsOfKind } from "../../ui/jobs/JobControls";
import { Failure } from "../../ui/State";
import styles from "./LearnedFeatures.module.css";

type LearnedFeaturesProps = {
  project: Project;
  /** The job as the catalog has it. */
  algorithm: Algorithm;
  /** Titles of what is chosen and needs the features. */
  needing: string[];
};

const isDone = ({ state, dry_run }: Job): boolean => state === "succeeded" && !dry_run;

/** Says that what is chosen needs learned features, and starts and follows the job. */
export function LearnedFeatures({ project, algorithm, needing }: LearnedFeaturesProps) {
  const jobs = useJobsOfKind(project.id, algorithm.name);
  const resizes = useJobsOfKind(project.id, "resize");
  if (jobs.error && !jobs.data)
    return <Failure error={jobs.error} onRetry={() => jobs.refetch()} />;
  if (!jobs.data) return null;
  const resized = resizes.data?.items.find(isDone)?.finished_at;
  // What was learned of images of another size counts no more.
  const learned = jobs.data.items.find(
    (job) => isDone(job) && !(resized && job.finished_at && job.finished_at < resized),
  );
  return (
    <section className={styles.panel} aria-label={t.setup.learned}>
      <div className={styles.text}>
        <strong>{t.setup.learned}</strong>
        <p>
          {learned?.finished_at
            ? t.setup.learnedAt(new Date(learned.finished_at))
            : t.setup.learnFirst(needing)}
        </p>
      </div>
      <JobControls project={project} algorithm={algorithm} jobs={jobs.data.items} />
    </section>
  );
}
