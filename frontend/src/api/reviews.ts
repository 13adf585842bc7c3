import { queryOptions } from "@tanstack/react-query";
import { call, client } from "./client";
import type { DecisionInput, DecisionsResponse, ReviewLease, Suggestion } from "./types";

export const reviewsQuery = (projectId: number) =>
  queryOptions({
    // Under the project's key, so that its events refresh it.
    queryKey: ["project", projectId, "reviews"],
    queryFn: () =>
      call(
        client.GET("/api/projects/{project_id}/reviews", {
          params: { path: { project_id: projectId } },
        }),
      ),
  });

/** What the review queue needs from the server, so that tests can stand in for it. */
export type ReviewApi = {
  lease(n: number): Promise<ReviewLease>;
  recent(limit: number): Promise<Suggestion[]>;
  decide(decisions: DecisionInput[]): Promise<DecisionsResponse>;
};

export function reviewApi(projectId: number, jobId: number): ReviewApi {
  const at = { path: { project_id: projectId, job_id: jobId } };
  return {
    lease: (n) =>
      call(
        client.POST("/api/projects/{project_id}/reviews/{job_id}/lease", {
          params: at,
          body: { n },
        }),
      ),
    recent: async (limit) => {
      const params = { ...at, query: { limit } };
      const page = await call(
        client.GET("/api/projects/{project_id}/reviews/{job_id}/recent", { params }),
      );
      return page.items;
    },
    decide: (decisions) =>
      call(
        client.POST("/api/projects/{project_id}/reviews/{job_id}/decisions", {
          params: at,
          body: { decisions },
        }),
      ),
  };
}

export const revertReview = (projectId: number, jobId: number) =>
  call(
    client.POST("/api/projects/{project_id}/reviews/{job_id}/revert", {
      params: { path: { project_id: projectId, job_id: jobId } },
    }),
  );
