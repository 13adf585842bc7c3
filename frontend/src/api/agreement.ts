import { queryOptions } from "@tanstack/react-query";
import { call, client } from "./client";

export const agreementQuery = (projectId: number) =>
  queryOptions({
    queryKey: ["project", projectId, "agreement"],
    queryFn: () =>
      call(
        client.GET("/api/projects/{project_id}/agreement", {
          params: { path: { project_id: projectId } },
        }),
      ),
  });
