import { queryOptions } from "@tanstack/react-query";
import { call, client } from "./client";
import type {
  DecisionInput,
  DecisionsResponse,
  ReviewedJob,
  ReviewLease,
  Suggestion,
} from "./types";

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

/** What decisions say of the suggestions of a job, read anew when as many more are `done`. */
export const estimateQuery = (projectId: number, jobId: number, done: number) =>
  queryOptions({
    queryKey: [...reviewsQuery(projectId).queryKey, jobId, "estimate", done],
    queryFn: () =>
      call(
        client.GET("/api/projects/{project_id}/reviews/{review}/estimate", {
          params: at(projectId, jobId),
        }),
      ),
  });

/** Ask about so many labels, drawn by chance, that a job has not suggested. */
export const auditReview = (projectId: number, jobId: number, n: number) =>
  call(
    client.POST("/api/projects/{project_id}/reviews/{review}/audit", {
      params: at(projectId, jobId),
      body: { n },
    }),
  );

/** All open suggestions of a group, of those that are not `passed` the one worth most. */
export const leaseGroup = (projectId: number, jobId: ReviewedJob, passed: number[]) =>
  call(
    client.POST("/api/projects/{project_id}/reviews/{review}/lease", {
      params: at(projectId, jobId),
      body: { n: 1, alike: true, passed },
    }),
  );

/** What the review queue needs from the server, so that tests can stand in for it. */
export type ReviewApi = {
  lease(n: number): Promise<ReviewLease>;
  recent(limit: number): Promise<Suggestion[]>;
};

/** What sends decisions, so that tests can stand in for it. */
export type DecideApi = {
  decide(
    projectId: number,
    jobId: ReviewedJob,
    decisions: DecisionInput[],
  ): Promise<DecisionsResponse>;
};

/** What addresses call a review. */
const nameOf = (jobId: ReviewedJob): number | "disagreements" => jobId ?? "disagreements";

/** Where a review is in the browser. */
export const reviewPath = (projectId: number, jobId: ReviewedJob): string =>
  `/projects/${projectId}/review/${nameOf(jobId)}`;

const at = (projectId: number, jobId: ReviewedJob) => ({
  path: { project_id: projectId, review: nameOf(jobId) },
});

export const reviewApi = (projectId: number, jobId: ReviewedJob): ReviewApi => ({
  lease: (n) =>
    call(
      client.POST("/api/projects/{project_id}/reviews/{review}/lease", {
        params: at(projectId, jobId),
        body: { n, alike: false, passed: [] },
      }),
    ),
  recent: async (limit) => {
    const params = { ...at(projectId, jobId), query: { limit } };
    const page = await call(
      client.GET("/api/projects/{project_id}/reviews/{review}/recent", { params }),
    );
    return page.items;
  },
});

export const decideApi: DecideApi = {
  decide: (projectId, jobId, decisions) =>
    call(
      client.POST("/api/projects/{project_id}/reviews/{review}/decisions", {
        params: at(projectId, jobId),
        body: { decisions },
      }),
    ),
};

export const revertReview = (projectId: number, jobId: ReviewedJob) =>
  call(
    client.POST("/api/projects/{project_id}/reviews/{review}/revert", {
      params: at(projectId, jobId),
    }),
  );
