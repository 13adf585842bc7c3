import { useQuery } from "@tanstack/react-query";
import { useParams } from "react-router";
import { isActive, jobQuery } from "../api/rounds";
import { ResultScreen } from "../features/jobs/ResultScreen";
import { t } from "../strings";
import { Loading, Skeleton } from "../ui/State";
import { NotFoundPage } from "./ErrorPages";
import { ProjectFailure } from "./ProjectFailure";
import type { PageHandle } from "./pageTitle";
import { idOf, useProject, useProjectId } from "./useProject";

export const handle: PageHandle = { title: ({ jobId = "" }) => t.jobs.numbered(jobId) };

export function Component() {
  const jobId = idOf(useParams().jobId);
  return jobId === null ? <NotFoundPage /> : <JobPage jobId={jobId} />;
}

function JobPage({ jobId }: { jobId: number }) {
  const project = useProject().data;
  const job = useQuery({
    ...jobQuery(useProjectId(), jobId),
    refetchInterval: ({ state }) => (isActive(state.data) ? 2_000 : false),
  });
  if (job.error && !job.data)
    return <ProjectFailure error={job.error} onRetry={() => job.refetch()} />;
  if (!project?.settings || !job.data) {
    return (
      <Loading>
        <Skeleton height="14rem" />
      </Loading>
    );
  }
  if (job.data.project_id !== project.id) return <NotFoundPage />;
  return <ResultScreen project={{ ...project, settings: project.settings }} job={job.data} />;
}
