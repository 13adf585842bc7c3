import { queryOptions } from "@tanstack/react-query";
import { call, client } from "./client";
import { utcOffset } from "./clock";
import type { Answer, LabelStatus, Lease, RecentAnswer, SubmitResponse } from "./types";

export type Leasing = {
  /** Images that the model takes for the same come together. */
  grouped: boolean;
  /** One's other tabs that are open: what any further one holds is taken from it. Null spares all. */
  openClients: string[] | null;
};

/** What the label queue needs from the server, so that tests can stand in for it. */
export type LabelingApi = {
  lease(projectId: number, n: number, client: string, how: Leasing): Promise<Lease>;
  submit(projectId: number, answers: Answer[]): Promise<SubmitResponse>;
  status(projectId: number): Promise<LabelStatus>;
  /** My latest answers, or of these the ones that a reviewer has written of. */
  recent(projectId: number, limit: number, reviewed?: boolean): Promise<RecentAnswer[]>;
  /** Let others have what this tab holds, now or in some seconds, except the queries to `keep`. */
  release(
    projectId: number,
    client: string,
    afterSeconds?: number,
    keep?: readonly number[],
  ): Promise<void>;
};

const at = (projectId: number) => ({ path: { project_id: projectId } });

export const labelingApi: LabelingApi = {
  lease: (projectId, n, tab, { grouped, openClients }) =>
    call(
      client.POST("/api/projects/{project_id}/labeling/lease", {
        params: at(projectId),
        body: { n, client: tab, grouped, open_clients: openClients },
      }),
    ),
  submit: (projectId, answers) =>
    call(
      client.POST("/api/projects/{project_id}/labeling/answers", {
        params: at(projectId),
        body: { answers },
      }),
    ),
  status: (projectId) =>
    call(
      client.GET("/api/projects/{project_id}/labeling/status", {
        params: { ...at(projectId), query: { utc_offset: utcOffset() } },
      }),
    ),
  recent: async (projectId, limit, reviewed) => {
    const params = { ...at(projectId), query: { limit, ...(reviewed && { reviewed }) } };
    const page = await call(client.GET("/api/projects/{project_id}/labeling/recent", { params }));
    return page.items;
  },
  release: async (projectId, tab, afterSeconds = 0, keep = []) => {
    await call(
      client.POST("/api/projects/{project_id}/labeling/release", {
        params: at(projectId),
        body: { client: tab, after_seconds: afterSeconds, keep: [...keep] },
        // While an upgrade goes on, servers of before refuse what they do not know.
        bodySerializer: ({ keep, ...body }) =>
          JSON.stringify(keep.length > 0 ? { ...body, keep } : body),
        keepalive: true,
      }),
    );
  },
};

/** What is going on while there is no image, and what comes next. */
export const betweenQuery = (projectId: number) =>
  queryOptions({
    queryKey: ["project", projectId, "between"],
    refetchInterval: 5_000,
    // Rounds have passed since somebody last waited here.
    gcTime: 0,
    queryFn: () =>
      call(client.GET("/api/projects/{project_id}/labeling/between", { params: at(projectId) })),
  });
