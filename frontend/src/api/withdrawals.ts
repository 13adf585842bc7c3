import { type QueryClient, queryOptions } from "@tanstack/react-query";
import { call, client, patiently } from "./client";
import { poolQueries } from "./pool";
import type { components } from "./schema";
import type { Selection } from "./types";

type Schemas = components["schemas"];
export type Withdrawal = Schemas["WithdrawalOut"];
export type WithdrawalPreview = Schemas["WithdrawalPreview"];

const SOON_MS = 700;
const LATER_MS = 5_000;

const at = (projectId: number) => ({ params: { path: { project_id: projectId } } });

/** How many would be withdrawn; counted anew for whoever asks. */
export const withdrawalPreviewQuery = (projectId: number, selection: Selection) =>
  queryOptions({
    queryKey: ["withdrawal-preview", projectId, selection],
    gcTime: 0,
    staleTime: 0,
    queryFn: () =>
      call(
        client.POST("/api/projects/{project_id}/withdrawals/preview", {
          ...at(projectId),
          body: selection,
          fetch: patiently,
        }),
      ),
  });

/** Take examples out of a project for good; `images` is how many somebody was told. */
export const withdraw = (projectId: number, selection: Selection, images: number) =>
  call(
    client.POST("/api/projects/{project_id}/withdrawals", {
      ...at(projectId),
      body: { ...selection, images },
      fetch: patiently,
    }),
  );

/** One withdrawal, looked at until nothing is left of it. */
export const withdrawalQuery = (projectId: number, id: number) =>
  queryOptions({
    queryKey: ["withdrawal", projectId, id],
    queryFn: () =>
      call(
        client.GET("/api/projects/{project_id}/withdrawals/{withdrawal_id}", {
          params: { path: { project_id: projectId, withdrawal_id: id } },
        }),
      ),
    refetchInterval: ({ state }) => {
      if (state.data?.state === "done") return false;
      return state.data?.state === "erasing" ? LATER_MS : SOON_MS;
    },
  });

/** What was withdrawn from a project, the newest first. */
export const withdrawalsQuery = (projectId: number) =>
  queryOptions({
    queryKey: ["project", projectId, "withdrawals"],
    queryFn: () => call(client.GET("/api/projects/{project_id}/withdrawals", at(projectId))),
  });

/** Everything that shows examples of a project is read again. */
export const readAgain = (client: QueryClient, projectId: number) =>
  Promise.all(
    [poolQueries.all(projectId), ["project", projectId]].map((queryKey) =>
      client.invalidateQueries({ queryKey }),
    ),
  );
