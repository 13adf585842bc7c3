import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { call, client } from "./client";
import { everyPage } from "./everyPage";
import type { paths } from "./schema";

export const activityQuery = queryOptions({
  queryKey: ["users", "activity"],
  queryFn: () =>
    everyPage((cursor) =>
      call(client.GET("/api/users/activity", { params: { query: { cursor } } })),
    ),
});

export const unlockUser = (userId: number) =>
  call(client.POST("/api/users/{user_id}/unlock", { params: { path: { user_id: userId } } }));

export const resetPassword = (userId: number, revokeTokens: boolean) =>
  call(
    client.POST("/api/users/{user_id}/reset-password", {
      params: { path: { user_id: userId } },
      body: { revoke_tokens: revokeTokens },
    }),
  );

export const eraseUser = (userId: number) =>
  call(client.POST("/api/users/{user_id}/erase", { params: { path: { user_id: userId } } }));

/** All that is held of somebody, to download. */
export const heldUrl = (userId: number): string => `/api/users/${userId}/export`;

/** Tokens of everybody, or of one user, page by page. */
export const allTokensQuery = (userId: number | null) =>
  infiniteQueryOptions({
    queryKey: ["admin", "tokens", userId],
    initialPageParam: null as number | null,
    queryFn: ({ pageParam: cursor }) =>
      call(client.GET("/api/admin/tokens", { params: { query: { user_id: userId, cursor } } })),
    getNextPageParam: (page) => page.next_cursor,
  });

export const workersQuery = queryOptions({
  queryKey: ["admin", "workers"],
  queryFn: () => call(client.GET("/api/admin/workers")),
});

export const forgetWorker = (name: string) =>
  call(client.DELETE("/api/admin/workers/{name}", { params: { path: { name } } }));

export const storageQuery = queryOptions({
  queryKey: ["admin", "storage"],
  queryFn: () => call(client.GET("/api/admin/storage")),
});

type Query = NonNullable<paths["/api/admin/audit"]["get"]["parameters"]["query"]>;
export type AuditFilter = Omit<Query, "cursor" | "limit">;

export const auditQuery = (filter: AuditFilter) =>
  infiniteQueryOptions({
    queryKey: ["admin", "audit", filter],
    initialPageParam: null as number | null,
    queryFn: ({ pageParam: cursor }) =>
      call(client.GET("/api/admin/audit", { params: { query: { ...filter, cursor } } })),
    getNextPageParam: (page) => page.next_cursor,
  });

/** All of the log, with the chain of its hashes. */
export const AUDIT_LINES = "/api/admin/audit.jsonl";

export function auditUrl(filter: AuditFilter): string {
  const known = Object.entries(filter).filter(([, value]) => value != null);
  return `/api/admin/audit.csv?${new URLSearchParams(known.map(([name, value]) => [name, String(value)]))}`;
}
