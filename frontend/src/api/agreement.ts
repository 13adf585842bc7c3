import { queryOptions } from "@tanstack/react-query";
import { call, client } from "./client";

export const agreementQuery = (projectId: number) =>
  queryOptions({
    // Not under the project's key: each verdict changes that, and this reads all of them.
    queryKey: ["agreement", projectId],
    staleTime: 60_000,
    queryFn: () =>
      call(
        client.GET("/api/projects/{project_id}/agreement", {
          params: { path: { project_id: projectId } },
        }),
      ),
  });
