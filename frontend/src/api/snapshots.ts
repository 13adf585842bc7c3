import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { call, client, patiently } from "./client";
import type { components } from "./schema";

type Schemas = components["schemas"];
export type Snapshot = Schemas["SnapshotOut"];
export type SnapshotDiff = Schemas["SnapshotDiff"];
export type SnapshotSide = Schemas["SnapshotSide"];

const AT_ONCE = 100;
const PAGE = 24;

const at = (projectId: number, name: string) => ({ project_id: projectId, snapshot: name });

/** The newest snapshots of a project. */
export const snapshotsQuery = (projectId: number) =>
  queryOptions({
    queryKey: ["project", projectId, "snapshots"],
    queryFn: () =>
      call(
        client.GET("/api/projects/{project_id}/snapshots", {
          params: { path: { project_id: projectId }, query: { limit: AT_ONCE } },
        }),
      ),
  });

/** What changed from a snapshot to another, the examples page by page. */
export const snapshotDiffQuery = (projectId: number, one: string, other: string) =>
  infiniteQueryOptions({
    queryKey: [...snapshotsQuery(projectId).queryKey, "diff", one, other],
    initialPageParam: null as number | null,
    queryFn: ({ pageParam: cursor }) =>
      call(
        client.GET("/api/projects/{project_id}/snapshots/{snapshot}/diff", {
          params: { path: at(projectId, one), query: { with: other, cursor, limit: PAGE } },
        }),
      ),
    getNextPageParam: (page) => page.next_cursor,
    enabled: one !== other,
  });

export const takeSnapshot = (projectId: number, name: string) =>
  call(
    client.POST("/api/projects/{project_id}/snapshots", {
      params: { path: { project_id: projectId } },
      body: { name },
      fetch: patiently,
    }),
  );

export const removeSnapshot = (projectId: number, name: string) =>
  call(
    client.DELETE("/api/projects/{project_id}/snapshots/{snapshot}", {
      params: { path: at(projectId, name) },
    }),
  );
