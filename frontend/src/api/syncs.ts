import { queryOptions } from "@tanstack/react-query";
import { call, client } from "./client";
import type { SyncFinding, SyncInput } from "./types";

/** How often to look while something is on its way, and while nothing is known to be. */
const SOON_MS = 2_000;
const NOW_AND_THEN_MS = 30_000;

/** Places of buckets that the pool follows. */
export const syncsQuery = (projectId: number) =>
  queryOptions({
    queryKey: ["project", projectId, "syncs"],
    queryFn: () =>
      call(
        client.GET("/api/projects/{project_id}/syncs", {
          params: { path: { project_id: projectId } },
        }),
      ),
    refetchInterval: ({ state }) =>
      state.data?.items.some((one) => one.looking || one.looked_at === null)
        ? SOON_MS
        : NOW_AND_THEN_MS,
  });

const at = (projectId: number, id: number) => ({
  params: { path: { project_id: projectId, sync_id: id } },
});

export const createSync = (projectId: number, body: SyncInput) =>
  call(
    client.POST("/api/projects/{project_id}/syncs", {
      params: { path: { project_id: projectId } },
      body,
    }),
  );

export const updateSync = (projectId: number, id: number, everyMinutes: number | null) =>
  call(
    client.PATCH("/api/projects/{project_id}/syncs/{sync_id}", {
      ...at(projectId, id),
      body: { every_minutes: everyMinutes },
    }),
  );

export const runSync = (projectId: number, id: number) =>
  call(
    client.POST("/api/projects/{project_id}/syncs/{sync_id}/run", {
      ...at(projectId, id),
      body: { again: false },
    }),
  );

export const deleteSync = (projectId: number, id: number) =>
  call(client.DELETE("/api/projects/{project_id}/syncs/{sync_id}", at(projectId, id)));

/** Paths of the first objects about which there is something to say. */
export const syncObjectsQuery = (projectId: number, id: number, finding: SyncFinding) =>
  queryOptions({
    queryKey: ["project", projectId, "syncs", id, finding],
    queryFn: () =>
      call(
        client.GET("/api/projects/{project_id}/syncs/{sync_id}/objects", {
          params: {
            path: { project_id: projectId, sync_id: id },
            query: { finding, limit: 100 },
          },
        }),
      ),
  });
