import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { call, client } from "./client";

const at = (project_id: number, number: number) => ({ path: { project_id, number } });

/** The rounds whose pool was scored. */
export const mapsQuery = (projectId: number) =>
  queryOptions({
    queryKey: ["project", projectId, "maps"],
    queryFn: () =>
      call(
        client.GET("/api/projects/{project_id}/maps", {
          params: { path: { project_id: projectId } },
        }),
      ),
  });

/** What the strategy of a round made of the two scores; it never changes. */
export const surfaceQuery = (projectId: number, number: number) =>
  queryOptions({
    queryKey: ["map", projectId, number, "surface"],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: () =>
      call(
        client.GET("/api/projects/{project_id}/maps/{number}/surface", {
          params: at(projectId, number),
        }),
      ),
  });

export const mapQueriesQuery = (projectId: number, number: number) =>
  queryOptions({
    queryKey: ["project", projectId, "map", number, "queries"],
    placeholderData: keepPreviousData,
    queryFn: () =>
      call(
        client.GET("/api/projects/{project_id}/maps/{number}/queries", {
          params: at(projectId, number),
        }),
      ),
  });

export type TilePlace = { level: number; column: number; row: number };

/** The bytes of one tile; of one version they never change. */
export const tileQuery = (projectId: number, number: number, version: string, place: TilePlace) =>
  queryOptions({
    queryKey: ["map", projectId, number, version, place.level, place.column, place.row],
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
    queryFn: () =>
      call<unknown>(
        client.GET("/api/projects/{project_id}/maps/{number}/tiles/{level}/{column}/{row}", {
          params: { path: { ...at(projectId, number).path, ...place }, query: { version } },
          parseAs: "arrayBuffer",
        }),
      ) as Promise<ArrayBuffer>,
  });

/** Images within an outline, page by page. */
export const mapImagesQuery = (projectId: number, number: number, polygon: string) =>
  infiniteQueryOptions({
    queryKey: ["project", projectId, "map", number, "images", polygon],
    initialPageParam: null as number | null,
    queryFn: ({ pageParam }) =>
      call(
        client.GET("/api/projects/{project_id}/maps/{number}/images", {
          params: {
            ...at(projectId, number),
            query: { polygon, limit: 60, ...(pageParam !== null && { cursor: pageParam }) },
          },
        }),
      ),
    getNextPageParam: (page) => page.next_cursor,
  });

export const mapImageQuery = (projectId: number, number: number, poolIndex: number) =>
  queryOptions({
    queryKey: ["project", projectId, "map", number, "image", poolIndex],
    staleTime: 60_000,
    queryFn: () =>
      call(
        client.GET("/api/projects/{project_id}/maps/{number}/images/{pool_index}", {
          params: { path: { ...at(projectId, number).path, pool_index: poolIndex } },
        }),
      ),
  });
