import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { call, client } from "./client";
import type { Choice, Job, JobKind, JobResume, JobState } from "./types";

export const roundsQuery = (projectId: number) =>
  queryOptions({
    queryKey: ["project", projectId, "rounds"],
    queryFn: () =>
      call(
        client.GET("/api/projects/{project_id}/rounds", {
          params: { path: { project_id: projectId } },
        }),
      ),
  });

/** Whether another round is expected to pay. */
export const outlookQuery = (projectId: number) =>
  queryOptions({
    queryKey: ["project", projectId, "outlook"],
    queryFn: () =>
      call(
        client.GET("/api/projects/{project_id}/outlook", {
          params: { path: { project_id: projectId } },
        }),
      ),
  });

/** Projects whose curves can be drawn beside this one's. */
export const comparableQuery = (projectId: number) =>
  queryOptions({
    queryKey: ["project", projectId, "comparable"],
    queryFn: () =>
      call(
        client.GET("/api/projects/{project_id}/comparable", {
          params: { path: { project_id: projectId } },
        }),
      ),
  });

const round = (projectId: number, number: number) => ({
  params: { path: { project_id: projectId, number } },
});

export const closeRound = (projectId: number, number: number) =>
  call(client.POST("/api/projects/{project_id}/rounds/{number}/close", round(projectId, number)));

/** Starts to measure what a round would take with a model. */
export const estimateRound = (projectId: number, model: Choice) =>
  call(
    client.POST("/api/projects/{project_id}/rounds/estimate", {
      params: { path: { project_id: projectId } },
      body: { model },
    }),
  );

/** The latest jobs of a project, newest first. */
export const jobsQuery = (projectId: number) =>
  queryOptions({
    queryKey: ["project", projectId, "jobs"],
    queryFn: () =>
      call(client.GET("/api/jobs", { params: { query: { project_id: projectId, limit: 20 } } })),
  });

/** The latest jobs of one kind in a project, newest first. */
export const jobsOfKindQuery = (projectId: number, kind: JobKind) =>
  queryOptions({
    queryKey: ["project", projectId, "jobs", kind],
    queryFn: () =>
      call(
        client.GET("/api/jobs", { params: { query: { project_id: projectId, kind, limit: 20 } } }),
      ),
  });

/** All jobs of a project, newest first and page by page, those of some kind or state. */
export const allJobsQuery = (projectId: number, kind: JobKind | null, state: JobState[]) =>
  infiniteQueryOptions({
    queryKey: ["project", projectId, "all-jobs", kind, ...state],
    initialPageParam: null as number | null,
    queryFn: ({ pageParam: cursor }) =>
      call(
        client.GET("/api/jobs", {
          params: { query: { project_id: projectId, kind, state, cursor, limit: 10 } },
        }),
      ),
    getNextPageParam: (page) => page.next_cursor,
  });

export const jobQuery = (projectId: number, jobId: number) =>
  queryOptions({
    queryKey: ["project", projectId, "job", jobId],
    queryFn: () => call(client.GET("/api/jobs/{job_id}", ofJob(jobId))),
  });

export const startJob = (projectId: number, kind: string, params: Job["params"], dry_run = false) =>
  call(
    client.POST("/api/projects/{project_id}/jobs", {
      params: { path: { project_id: projectId } },
      body: { kind, params, dry_run },
    }),
  );

/** Whether a job waits or is at work: it will be something else by itself. */
export const isActive = (job: Pick<Job, "state"> | null | undefined): boolean =>
  job?.state === "queued" || job?.state === "running";

const ofJob = (id: number) => ({ params: { path: { job_id: id } } });
const POLL_MS = 300;

/** Wait until a job has succeeded; throws what it says of itself if it ends otherwise. */
export async function succeeded(
  job: Job,
  signal: AbortSignal,
  onProgress?: (job: Job) => void,
): Promise<Job> {
  while (isActive(job)) {
    onProgress?.(job);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    signal.throwIfAborted();
    job = await call(client.GET("/api/jobs/{job_id}", { ...ofJob(job.id), signal }));
  }
  if (job.state === "succeeded") return job;
  throw new Error(job.error?.detail ?? job.message ?? job.state);
}

export const cancelJob = (id: number) => call(client.POST("/api/jobs/{job_id}/cancel", ofJob(id)));

export const resumeJob = (id: number, body: JobResume) =>
  call(client.POST("/api/jobs/{job_id}/resume", { ...ofJob(id), body }));

export const retryJob = (id: number) => call(client.POST("/api/jobs/{job_id}/retry", ofJob(id)));
