import { type UseQueryResult, useQuery, useQueryClient } from "@tanstack/react-query";
import { projectQuery } from "../../api/projects";
import { isActive, jobsOfKindQuery } from "../../api/rounds";
import type { Algorithm, Job, JobKind, Project } from "../../api/types";
import { useManages } from "../managing";
import { JobAtWork } from "./JobAtWork";
import { JobStart } from "./JobStart";
import { isPaused, PausedJob } from "./PausedJob";

/** The latest jobs of one kind, kept current while one is at work. */
export const useJobsOfKind = (
  projectId: number,
  kind: string,
): UseQueryResult<{ items: Job[]; next_cursor: number | null }> =>
  useQuery({
    ...jobsOfKindQuery(projectId, kind as JobKind),
    // Events bring progress; this is for the case that one is missed.
    refetchInterval: ({ state }) => (state.data?.items.some(isActive) ? 4_000 : false),
  });

type JobControlsProps = { project: Project; algorithm: Algorithm; jobs: Job[] };

/** Starts a job, or follows the one that is at work. */
export function JobControls({ project, algorithm, jobs }: JobControlsProps) {
  const client = useQueryClient();
  const onSettled = () => client.invalidateQueries({ queryKey: projectQuery(project.id).queryKey });
  const [latest] = jobs;
  const manages = useManages();
  if (latest && isActive(latest)) return <JobAtWork job={latest} onSettled={onSettled} />;
  if (latest && isPaused(latest)) {
    return <PausedJob key={`${latest.id}.${latest.attempt}`} job={latest} onSettled={onSettled} />;
  }
  if (!manages) return null;
  return (
    <JobStart
      project={project}
      algorithm={algorithm}
      latest={latest}
      unfinished={jobs.find((job) => !job.dry_run)}
      again={jobs.some((job) => job.state === "succeeded" && !job.dry_run)}
      onSettled={onSettled}
    />
  );
}
