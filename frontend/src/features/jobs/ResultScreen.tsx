import { useQueryClient } from "@tanstack/react-query";
import { Link } from "react-router";
import { projectQuery } from "../../api/projects";
import type { Job, Project, Settings } from "../../api/types";
import { t } from "../../strings";
import { Card } from "../../ui/Card";
import { EstimateNotice } from "../../ui/jobs/EstimateNotice";
import { JobAtWork } from "../../ui/jobs/JobAtWork";
import { Notice } from "../../ui/State";
import { ComparisonScreen } from "./ComparisonScreen";
import styles from "./JobsScreen.module.css";
import { LogCard } from "./LogCard";
import { RelabelScreen } from "./RelabelScreen";
import { SubsetScreen } from "./SubsetScreen";

const SCREENS: Partial<Record<Job["kind"], typeof ComparisonScreen>> = {
  taufe: ComparisonScreen,
  prune: SubsetScreen,
  relabel: RelabelScreen,
};

type ResultScreenProps = { project: Project & { settings: Settings }; job: Job };

/** What a job has found, or how far it is, and its log. */
export function ResultScreen({ project, job }: ResultScreenProps) {
  const Screen = job.dry_run ? undefined : SCREENS[job.kind];
  const hasResult = Screen && job.state === "succeeded" && job.result;
  return (
    <div className={styles.page}>
      {hasResult ? (
        <Screen project={project} job={job} />
      ) : (
        <State projectId={project.id} job={job} />
      )}
      <LogCard key={job.id} projectId={project.id} job={job} isOpen={!hasResult} />
    </div>
  );
}

function State({ projectId, job }: { projectId: number; job: Job }) {
  const client = useQueryClient();
  const isActive = job.state === "queued" || job.state === "running";
  return (
    <>
      <header className={styles.counts}>
        <Link to={`/projects/${projectId}/jobs`}>{t.jobs.back}</Link>
        <h2>{t.jobs.titled(t.overview.job[job.kind] ?? job.kind, job.id)}</h2>
      </header>
      {isActive && (
        <Card>
          <JobAtWork
            job={job}
            onSettled={() =>
              client.invalidateQueries({ queryKey: projectQuery(projectId).queryKey })
            }
          />
        </Card>
      )}
      {job.state === "failed" && <Notice tone="bad">{job.error?.detail ?? job.message}</Notice>}
      {job.state === "cancelled" && <Notice>{t.jobs.stopped}</Notice>}
      {job.state === "succeeded" &&
        (job.dry_run ? <EstimateNotice job={job} /> : <Notice>{t.jobs.noResult}</Notice>)}
    </>
  );
}
