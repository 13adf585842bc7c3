import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { call, client } from "./client";
import { poolQueries } from "./pool";
import { succeeded } from "./rounds";
import type { paths } from "./schema";
import type { Job } from "./types";

export type Which = NonNullable<
  NonNullable<paths["/api/projects/{project_id}/duplicates"]["get"]["parameters"]["query"]>["which"]
>;

const at = (projectId: number) => ({ path: { project_id: projectId } });
const PAGE = 20;

/** Groups of images that show the same picture, the largest first. */
export const duplicatesQuery = (projectId: number, which: Which) =>
  infiniteQueryOptions({
    queryKey: [...poolQueries.all(projectId), "duplicates", which],
    queryFn: ({ pageParam: cursor }) =>
      call(
        client.GET("/api/projects/{project_id}/duplicates", {
          params: { ...at(projectId), query: { which, cursor, limit: PAGE } },
        }),
      ),
    initialPageParam: null as number | null,
    getNextPageParam: (page) => page.next_cursor,
  });

/** Keep one image of some groups, or of all of a kind, and hold the others out. */
export const holdCopies = (projectId: number, groups: number[] | null, which: Which = "all") =>
  call(
    client.POST("/api/projects/{project_id}/duplicates/hold-out", {
      params: at(projectId),
      body: { groups, which },
    }),
  );

/** Have a file looked at, to find what is like it; gives the number of the job that has done it. */
export async function lookUp(projectId: number, file: File, signal: AbortSignal): Promise<number> {
  const job: Job = await call(
    client.POST("/api/projects/{project_id}/examples/look-up", {
      params: at(projectId),
      // The file itself, whatever the document of the API calls it.
      body: file as unknown as string,
      bodySerializer: (body) => body as unknown as BodyInit,
      headers: { "content-type": "application/octet-stream" },
      signal,
    }),
  );
  return (await succeeded(job, signal)).id;
}

/** Whether images can be searched by words. */
export const wordsQuery = (projectId: number) =>
  queryOptions({
    queryKey: ["project", projectId, "by-words"],
    queryFn: () =>
      call(client.GET("/api/projects/{project_id}/examples/by-words", { params: at(projectId) })),
  });

/** Have images looked for that show what words say; gives the number of the job that has done it. */
export async function findByWords(
  projectId: number,
  words: string,
  signal: AbortSignal,
  onProgress: (job: Job) => void,
): Promise<number> {
  const job: Job = await call(
    client.POST("/api/projects/{project_id}/examples/by-words", {
      params: at(projectId),
      body: { words },
      signal,
    }),
  );
  return (await succeeded(job, signal, onProgress)).id;
}
