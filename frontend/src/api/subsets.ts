import { queryOptions } from "@tanstack/react-query";
import { call, client } from "./client";
import type { SubsetFormat } from "./types";

/** Every subset of a project, newest first. */
export const subsetsQuery = (projectId: number) =>
  queryOptions({
    queryKey: ["project", projectId, "subsets"],
    queryFn: () =>
      call(
        client.GET("/api/projects/{project_id}/subsets", {
          params: { path: { project_id: projectId } },
        }),
      ),
  });

/** Two subsets side by side. What is in them never changes. */
export const subsetComparisonQuery = (projectId: number, a: number, b: number) =>
  queryOptions({
    queryKey: ["subsets", projectId, a, b],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: () =>
      call(
        client.GET("/api/projects/{project_id}/subsets/compare", {
          params: { path: { project_id: projectId }, query: { a, b } },
        }),
      ),
  });

export const subsetUrl = (projectId: number, id: number, format: SubsetFormat): string =>
  `/api/projects/${projectId}/subsets/${id}/export?format=${format}`;
