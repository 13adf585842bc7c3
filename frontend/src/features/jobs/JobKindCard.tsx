import { useQuery, useQueryClient } from "@tanstack/react-query";
import { projectQuery } from "../../api/projects";
import { jobsOfKindQuery } from "../../api/rounds";
import type { Algorithm, JobKind, Project } from "../../api/types";
import { Card } from "../../ui/Card";
import { DocumentationLink } from "../../ui/DocumentationLink";
import { isActive, JobAtWork } from "../../ui/jobs/JobAtWork";
import { JobStart } from "../../ui/jobs/JobStart";
import { Failure, Loading, Skeleton } from "../../ui/State";
import { RunsTable } from "./RunsTable";

/** One kind of job: start it, follow it, find its results. */
export function JobKindCard({ project, algorithm }: { project: Project; algorithm: Algorithm }) {
  const client = useQueryClient();
  const jobs = useQuery({
    ...jobsOfKindQuery(project.id, algorithm.name as JobKind),
    // Events bring progress; this is for the case that one is missed.
    refetchInterval: ({ state }) => (state.data?.items.some(isActive) ? 4_000 : false),
  });
  const onSettled = () => client.invalidateQueries({ queryKey: projectQuery(project.id).queryKey });
  return (
    <Card
      title={algorithm.title}
      hint={algorithm.summary}
      actions={<DocumentationLink algorithm={algorithm} />}
    >
      {jobs.error && <Failure error={jobs.error} onRetry={() => jobs.refetch()} />}
      {jobs.isPending && (
        <Loading>
          <Skeleton height="4rem" />
        </Loading>
      )}
      {jobs.data && (
        <JobControls
          project={project}
          algorithm={algorithm}
          jobs={jobs.data.items}
          onSettled={onSettled}
        />
      )}
      {jobs.data && jobs.data.items.length > 0 && (
        <RunsTable title={algorithm.title} jobs={jobs.data.items} />
      )}
    </Card>
  );
}

type JobControlsProps = {
  project: Project;
  algorithm: Algorithm;
  jobs: Parameters<typeof RunsTable>[0]["jobs"];
  onSettled: () => void;
};

function JobControls({ project, algorithm, jobs, onSettled }: JobControlsProps) {
  const [latest] = jobs;
  if (latest && isActive(latest)) return <JobAtWork job={latest} onSettled={onSettled} />;
  return (
    <JobStart
      project={project}
      algorithm={algorithm}
      latest={latest}
      again={jobs.some((job) => job.state === "succeeded")}
      onSettled={onSettled}
    />
  );
}
