import { useQuery } from "@tanstack/react-query";
import { useParams } from "react-router";
import { jobQuery } from "../api/rounds";
import { ComparisonScreen } from "../features/jobs/ComparisonScreen";
import { Failure } from "../ui/State";
import { useProject, useProjectId } from "./useProject";

export function Component() {
  const project = useProject().data;
  const job = useQuery(jobQuery(useProjectId(), Number(useParams().jobId)));
  if (job.error) return <Failure error={job.error} onRetry={() => job.refetch()} />;
  if (!project?.settings || !job.data) return null;
  return <ComparisonScreen project={{ ...project, settings: project.settings }} job={job.data} />;
}
