import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { call, client } from "./client";
import type { components } from "./schema";

type Schemas = components["schemas"];
export type Selection = Schemas["SelectionOut"];
export type SelectedRow = Schemas["SelectedRow"];
export type SelectedCluster = Schemas["SelectedCluster"];
export type SelectionComparison = Schemas["SelectionComparison"];
export type SelectionFormat = Schemas["SelectionFormat"];
export type Reason = Schemas["SelectionReason"];
/** Which clusters are shown. */
export type ShownClusters = "all" | "undecided" | "unranked" | "people";

const PAGE = 10;
const ROWS = 20;

type Place = { projectId: number; jobId: number };

const at = ({ projectId, jobId }: Place) => ({ project_id: projectId, job_id: jobId });
const keyOf = ({ projectId, jobId }: Place) => ["project", projectId, "job", jobId, "selection"];

/** What a job has chosen, in numbers; people's answers make a newer one of it. */
export const selectionQuery = (place: Place) =>
  queryOptions({
    queryKey: keyOf(place),
    queryFn: () =>
      call(
        client.GET("/api/projects/{project_id}/jobs/{job_id}/selection", {
          params: { path: at(place) },
        }),
      ),
  });

/** Clusters with their rows, page by page. */
export const clustersQuery = (place: Place, show: ShownClusters) =>
  infiniteQueryOptions({
    queryKey: [...keyOf(place), "clusters", show],
    initialPageParam: null as number | null,
    queryFn: ({ pageParam }) =>
      call(
        client.GET("/api/projects/{project_id}/jobs/{job_id}/selection/clusters", {
          params: { path: at(place), query: { show, cursor: pageParam, limit: PAGE } },
        }),
      ),
    getNextPageParam: (page) => page.next_cursor,
  });

/** Rows by what became of them, page by page. */
export const selectedRowsQuery = (place: Place, kept: boolean) =>
  infiniteQueryOptions({
    queryKey: [...keyOf(place), "rows", kept],
    initialPageParam: null as number | null,
    queryFn: ({ pageParam }) =>
      call(
        client.GET("/api/projects/{project_id}/jobs/{job_id}/selection/rows", {
          params: { path: at(place), query: { kept, cursor: pageParam, limit: ROWS } },
        }),
      ),
    getNextPageParam: (page) => page.next_cursor,
  });

/** Two selections side by side. */
export const selectionComparisonQuery = (place: Place, other: number) =>
  queryOptions({
    queryKey: [...keyOf(place), "compare", other],
    queryFn: () =>
      call(
        client.GET("/api/projects/{project_id}/jobs/{job_id}/selection/compare", {
          params: { path: at(place), query: { with: other } },
        }),
      ),
  });

export const selectionUrl = ({ projectId, jobId }: Place, format: SelectionFormat): string =>
  `/api/projects/${projectId}/jobs/${jobId}/selection/export?format=${format}`;
