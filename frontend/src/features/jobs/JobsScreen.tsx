import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { algorithmsQuery } from "../../api/algorithms";
import type { Project } from "../../api/types";
import { t } from "../../strings";
import { Failure, Loading, Skeleton } from "../../ui/State";
import { AllJobsCard } from "./AllJobsCard";
import { JobKindCard } from "./JobKindCard";
import styles from "./JobsScreen.module.css";

/** What can be started by hand in a project, and what became of it. */
export function JobsScreen({ project }: { project: Project }) {
  const algorithms = useQuery(algorithmsQuery);
  if (algorithms.error) {
    return <Failure error={algorithms.error} onRetry={() => algorithms.refetch()} />;
  }
  if (!algorithms.data) {
    return (
      <Loading>
        <Skeleton height="14rem" />
      </Loading>
    );
  }
  return (
    <div className={styles.page}>
      <header className={styles.counts}>
        <p>{t.jobs.intro}</p>
        <Link to={`/projects/${project.id}/subsets`}>{t.jobs.subsets.tab}</Link>
      </header>
      <AllJobsCard project={project} />
      {algorithms.data.items
        .filter((one) => one.kind === "job")
        .map((algorithm) => (
          <JobKindCard key={algorithm.name} project={project} algorithm={algorithm} />
        ))}
    </div>
  );
}
