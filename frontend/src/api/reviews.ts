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
};

/** What sends decisions, so that tests can stand in for it. */
export type DecideApi = {
  decide(projectId: number, jobId: number, decisions: DecisionInput[]): Promise<DecisionsResponse>;
};

const at = (projectId: number, jobId: number) => ({
  path: { project_id: projectId, job_id: jobId },
});

export const reviewApi = (projectId: number, jobId: number): ReviewApi => ({
  lease: (n) =>
    call(
      client.POST("/api/projects/{project_id}/reviews/{job_id}/lease", {
        params: at(projectId, jobId),
        body: { n },
      }),
    ),
  recent: async (limit) => {
    const params = { ...at(projectId, jobId), query: { limit } };
    const page = await call(
      client.GET("/api/projects/{project_id}/reviews/{job_id}/recent", { params }),
    );
    return page.items;
  },
});

export const decideApi: DecideApi = {
  decide: (projectId, jobId, decisions) =>
    call(
      client.POST("/api/projects/{project_id}/reviews/{job_id}/decisions", {
        params: at(projectId, jobId),
        body: { decisions },
      }),
    ),
};

export const revertReview = (projectId: number, jobId: number) =>
  call(
    client.POST("/api/projects/{project_id}/reviews/{job_id}/revert", {
      params: at(projectId, jobId),
    }),
  );
