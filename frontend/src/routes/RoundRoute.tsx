import { useQuery } from "@tanstack/react-query";
import { useParams } from "react-router";
import { jobQuery } from "../api/rounds";
import { LogCard } from "../features/jobs/LogCard";
import { ClustersCard } from "../features/jobs/selection/ClustersCard";
import { RoundScreen } from "../features/rounds/RoundScreen";
import { t } from "../strings";
import type { PageHandle } from "./pageTitle";
import { useProject, useProjectId } from "./useProject";

export const handle: PageHandle = {
  title: ({ number = "" }) => t.rounds.title(Number(number)),
};

export function Component() {
  const project = useProject().data;
  const { number } = useParams();
  if (!project) return null;
  return (
    <RoundScreen
      project={project}
      number={number ?? ""}
      logOf={(jobId) => <Log key={jobId} jobId={jobId} />}
      groupsOf={(jobId) => (
        <ClustersCard key={jobId} place={{ projectId: project.id, jobId }} only="people" />
      )}
    />
  );
}

function Log({ jobId }: { jobId: number }) {
  const projectId = useProjectId();
  const job = useQuery(jobQuery(projectId, jobId)).data;
  return job ? <LogCard projectId={projectId} job={job} isOpen={false} /> : null;
}
