import { queryOptions } from "@tanstack/react-query";
import { call, client } from "./client";

/** Models whose predictions were imported, that which is suggested first. */
export const predictionsQuery = (projectId: number) =>
  queryOptions({
    queryKey: ["project", projectId, "predictions"],
    queryFn: () =>
      call(
        client.GET("/api/projects/{project_id}/predictions", {
          params: { path: { project_id: projectId } },
        }),
      ),
  });

export const removePredictions = (projectId: number, model: string) =>
  call(
    client.DELETE("/api/projects/{project_id}/predictions", {
      params: { path: { project_id: projectId }, query: { model } },
    }),
  );
