import { queryOptions } from "@tanstack/react-query";
import { call, client } from "./client";
import { ApiError } from "./errors";
import { everyPage } from "./everyPage";
import type { components } from "./schema";
import type { Me } from "./types";

type Schemas = components["schemas"];

/** The signed-in user, or null. */
export const meQuery = queryOptions({
  queryKey: ["me"],
  staleTime: 5 * 60_000,
  queryFn: async (): Promise<Me | null> => {
    try {
      return await call(client.GET("/api/auth/me"));
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) return null;
      throw error;
    }
  },
});

/** How one may sign in here. */
export const methodsQuery = queryOptions({
  queryKey: ["methods"],
  staleTime: 5 * 60_000,
  queryFn: () => call(client.GET("/api/auth/methods")),
});

/** Where single sign-on begins; the browser goes there, and comes back to `next`. */
export const singleSignOn = (next: string): string =>
  `/api/auth/oidc/start?${new URLSearchParams({ next })}`;

/** With a code where there is a second factor. */
export const login = (email: string, password: string, code: string | null) =>
  call(client.POST("/api/auth/login", { body: { email, password, code } }));

export const logout = () => call(client.POST("/api/auth/logout"));

export const changePassword = (old_password: string, password: string) =>
  call(client.POST("/api/auth/password", { body: { old_password, password } }));

export const sessionsQuery = queryOptions({
  queryKey: ["sessions"],
  queryFn: () => call(client.GET("/api/auth/sessions")),
});

export const endSession = (id: number) =>
  call(client.DELETE("/api/auth/sessions/{session_id}", { params: { path: { session_id: id } } }));

export const endOtherSessions = () => call(client.DELETE("/api/auth/sessions"));

export const tokensQuery = queryOptions({
  queryKey: ["tokens"],
  queryFn: () => call(client.GET("/api/tokens")),
});

export const createToken = (body: Schemas["TokenCreate"]) =>
  call(client.POST("/api/tokens", { body }));

export const revokeToken = (id: number) =>
  call(client.DELETE("/api/tokens/{token_id}", { params: { path: { token_id: id } } }));

export const usersQuery = queryOptions({
  queryKey: ["users"],
  queryFn: () =>
    everyPage((cursor) => call(client.GET("/api/users", { params: { query: { cursor } } }))),
});

export type NewUser = Schemas["UserCreate"];

export const createUser = (body: NewUser) => call(client.POST("/api/users", { body }));

export const updateUser = (id: number, body: Schemas["UserUpdate"]) =>
  call(client.PATCH("/api/users/{user_id}", { params: { path: { user_id: id } }, body }));
