import { Link } from "react-router";
import type { Job, Project, Settings } from "../../api/types";
import { t } from "../../strings";
import { Notice } from "../../ui/State";
import { ComparisonScreen } from "./ComparisonScreen";
import { SubsetScreen } from "./SubsetScreen";

const SCREENS: Partial<Record<Job["kind"], typeof ComparisonScreen>> = {
  taufe: ComparisonScreen,
  prune: SubsetScreen,
};

type ResultScreenProps = { project: Project & { settings: Settings }; job: Job };

/** What a job has found, if it has, and is of a kind that finds something to look at. */
export function ResultScreen({ project, job }: ResultScreenProps) {
  const Screen = SCREENS[job.kind];
  if (!Screen || job.state !== "succeeded" || !job.result) {
    const back = <Link to={`/projects/${project.id}/jobs`}>{t.jobs.back}</Link>;
    return <Notice actions={back}>{job.error?.detail ?? t.jobs.noResult}</Notice>;
  }
  return <Screen project={project} job={job} />;
}
