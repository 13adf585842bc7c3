import { queryOptions } from "@tanstack/react-query";
import { call, client } from "./client";
import type { Overlays } from "./localization";
import type { Drawing } from "./results";

/** The files that one job has left. */
export const artifactsQuery = (projectId: number, jobId: number) =>
  queryOptions({
    queryKey: ["project", projectId, "job", jobId, "artifacts"],
    queryFn: () =>
      call(
        client.GET("/api/projects/{project_id}/artifacts", {
          params: { path: { project_id: projectId }, query: { job_id: jobId } },
        }),
      ),
  });

export const artifactUrl = (id: number): string => `/api/artifacts/${id}/content`;

/** What a job has left to be drawn; artifacts never change. */
const contentQuery = <Content>(artifactId: number) =>
  queryOptions({
    queryKey: ["artifact", artifactId],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () =>
      (await call<unknown>(
        client.GET("/api/artifacts/{artifact_id}/content", {
          params: { path: { artifact_id: artifactId } },
          parseAs: "json",
        }),
      )) as Content,
  });

/** The map of a comparison. */
export const drawingQuery = (artifactId: number) => contentQuery<Drawing>(artifactId);

/** What the methods of a localization found. */
export const overlaysQuery = (artifactId: number) => contentQuery<Overlays>(artifactId);
