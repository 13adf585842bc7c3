import { type QueryClient, queryOptions } from "@tanstack/react-query";
import { call, client } from "./client";

/** What is known of a log, and how many bytes of it that is. */
export type JobLog = { text: string; bytes: number };

const bytesOf = (text: string): number => new TextEncoder().encode(text).length;

const nothing: JobLog = { text: "", bytes: 0 };

/** The log of a job; each time it is read again, only what was added is sent. */
export const jobLogQuery = (cache: QueryClient, projectId: number, jobId: number) => {
  const queryKey = ["project", projectId, "job", jobId, "log"];
  return queryOptions({
    queryKey,
    queryFn: async (): Promise<JobLog> => {
      const known = cache.getQueryData<JobLog>(queryKey) ?? nothing;
      // An empty body comes as undefined.
      const added = await call<string | undefined>(
        client.GET("/api/jobs/{job_id}/log", {
          params: { path: { job_id: jobId }, query: { after: known.bytes } },
          parseAs: "text",
        }),
      );
      if (!added) return known;
      return { text: known.text + added, bytes: known.bytes + bytesOf(added) };
    },
  });
};

export const logUrl = (jobId: number): string => `/api/jobs/${jobId}/log`;
