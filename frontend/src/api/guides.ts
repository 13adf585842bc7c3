import { queryOptions } from "@tanstack/react-query";
import { call, client } from "./client";

/** What belongs to each class. Not under the project's key: its rounds and jobs change no guide. */
export const guidesQuery = (projectId: number) =>
  queryOptions({
    queryKey: ["guides", projectId],
    staleTime: 60_000,
    queryFn: () =>
      call(
        client.GET("/api/projects/{project_id}/guides", {
          params: { path: { project_id: projectId } },
        }),
      ),
  });

/** Choose the examples of a class; none lets votes choose. */
export const pinExamples = (projectId: number, classId: number, exampleIds: number[]) =>
  call(
    client.PUT("/api/projects/{project_id}/classes/{class_id}/examples", {
      params: { path: { project_id: projectId, class_id: classId } },
      body: { example_ids: exampleIds },
    }),
  );
