import { queryOptions } from "@tanstack/react-query";
import { call, client } from "./client";
import type { TilePlace } from "./maps";
import { poolQueries } from "./pool";
import type { paths } from "./schema";

const at = (project_id: number) => ({ path: { project_id } });

/** What the images of a map can be coloured by. */
export type ColouredBy =
  paths["/api/projects/{project_id}/embedding-map/colours/{by}/{level}/{column}/{row}"]["get"]["parameters"]["path"]["by"];

/** The map of the pool that was made last; `map` is null until there is one. */
export const embeddingMapQuery = (projectId: number) =>
  queryOptions({
    queryKey: ["project", projectId, "embedding-map"],
    queryFn: () =>
      call(client.GET("/api/projects/{project_id}/embedding-map", { params: at(projectId) })),
  });

/** The bytes of one tile; of one version they never change. */
export const embeddingTileQuery = (projectId: number, version: string, place: TilePlace) =>
  queryOptions({
    queryKey: ["map", projectId, "embedding", version, place.level, place.column, place.row],
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
    queryFn: () =>
      call<unknown>(
        client.GET("/api/projects/{project_id}/embedding-map/tiles/{level}/{column}/{row}", {
          params: { path: { ...at(projectId).path, ...place }, query: { version } },
          parseAs: "arrayBuffer",
        }),
      ) as Promise<ArrayBuffer>,
  });

/** The first words of the keys of what images are coloured by. */
const embeddingColoursKey = (projectId: number) => [...poolQueries.all(projectId), "colours"];

/** What the images of a tile are coloured by; read again with the images of the pool. */
export const embeddingColoursQuery = (
  projectId: number,
  version: string,
  by: ColouredBy,
  place: TilePlace,
  /** Of what was chosen: the job that has. */
  chosenBy: number | null = null,
) =>
  queryOptions({
    queryKey: [
      ...embeddingColoursKey(projectId),
      version,
      by,
      chosenBy,
      place.level,
      place.column,
      place.row,
    ],
    staleTime: 30_000,
    gcTime: 60_000,
    queryFn: () =>
      call<unknown>(
        client.GET("/api/projects/{project_id}/embedding-map/colours/{by}/{level}/{column}/{row}", {
          params: {
            path: { ...at(projectId).path, by, ...place },
            query: { version, job_id: chosenBy },
          },
          parseAs: "arrayBuffer",
        }),
      ) as Promise<ArrayBuffer>,
  });

export const embeddingImageQuery = (projectId: number, version: string, poolIndex: number) =>
  queryOptions({
    queryKey: [...poolQueries.all(projectId), "on-map", version, poolIndex],
    staleTime: 60_000,
    queryFn: () =>
      call(
        client.GET("/api/projects/{project_id}/embedding-map/images/{pool_index}", {
          params: {
            path: { ...at(projectId).path, pool_index: poolIndex },
            query: { version },
          },
        }),
      ),
  });
