import { queryOptions } from "@tanstack/react-query";
import { call, client } from "./client";

/** How long a project is kept after it is finished. */
export const retentionQuery = (projectId: number) =>
  queryOptions({
    queryKey: ["projects", projectId, "retention"],
    queryFn: () =>
      call(
        client.GET("/api/projects/{project_id}/retention", {
          params: { path: { project_id: projectId } },
        }),
      ),
  });

export const retain = (projectId: number, days: number | null) =>
  call(
    client.PUT("/api/projects/{project_id}/retention", {
      params: { path: { project_id: projectId } },
      body: { days },
    }),
  );
