import { useQuery, useQueryClient } from "@tanstack/react-query";
import { projectQuery } from "../../api/projects";
import { jobsOfKindQuery } from "../../api/rounds";
import type { Algorithm, Project } from "../../api/types";
import { t } from "../../strings";
import { isActive, JobAtWork } from "../../ui/jobs/JobAtWork";
import { JobStart } from "../../ui/jobs/JobStart";
import { Failure } from "../../ui/State";
import styles from "./LearnedFeatures.module.css";

type LearnedFeaturesProps = {
  project: Project;
  /** The job as the catalog has it. */
  algorithm: Algorithm;
  /** Titles of what is chosen and needs the features. */
  needing: string[];
};

/** Says that what is chosen needs learned features, and starts and follows the job. */
export function LearnedFeatures({ project, algorithm, needing }: LearnedFeaturesProps) {
  const client = useQueryClient();
  const jobs = useQuery({
    ...jobsOfKindQuery(project.id, "learn_features"),
    // Events bring progress; this is for the case that one is missed.
    refetchInterval: ({ state }) => (state.data?.items.some(isActive) ? 4_000 : false),
  });
  if (jobs.error) return <Failure error={jobs.error} onRetry={() => jobs.refetch()} />;
  if (!jobs.data) return null;
  const onSettled = () => client.invalidateQueries({ queryKey: projectQuery(project.id).queryKey });
  const [latest] = jobs.data.items;
  const learned = jobs.data.items.find((job) => job.state === "succeeded");
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
      {latest && isActive(latest) ? (
        <JobAtWork job={latest} onSettled={onSettled} />
      ) : (
        <JobStart
          project={project}
          algorithm={algorithm}
          latest={latest}
          again={Boolean(learned)}
          onSettled={onSettled}
        />
      )}
    </section>
  );
}
