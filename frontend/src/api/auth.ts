import { queryOptions } from "@tanstack/react-query";
import { call, client } from "./client";
import { ApiError } from "./errors";
import { everyPage } from "./everyPage";
import type { components } from "./schema";
import type { User } from "./types";

type Schemas = components["schemas"];

/** The signed-in user, or null. */
export const meQuery = queryOptions({
  queryKey: ["me"],
  staleTime: 5 * 60_000,
  queryFn: async (): Promise<User | null> => {
    try {
      return await call(client.GET("/api/auth/me"));
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) return null;
      throw error;
    }
  },
});

export const login = (email: string, password: string) =>
  call(client.POST("/api/auth/login", { body: { email, password } }));

export const logout = () => call(client.POST("/api/auth/logout"));

export const changePassword = (old_password: string, password: string) =>
  call(client.POST("/api/auth/password", { body: { old_password, password } }));

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
