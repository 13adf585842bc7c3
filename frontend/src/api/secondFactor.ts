import { queryOptions } from "@tanstack/react-query";
import { call, client } from "./client";

export const secondFactorQuery = queryOptions({
  queryKey: ["second-factor"],
  queryFn: () => call(client.GET("/api/auth/second-factor")),
});

export const beginSecondFactor = (password: string) =>
  call(client.POST("/api/auth/second-factor", { body: { password } }));

export const confirmSecondFactor = (code: string) =>
  call(client.POST("/api/auth/second-factor/confirm", { body: { code } }));

export const renewRecoveryCodes = (password: string, code: string) =>
  call(client.POST("/api/auth/second-factor/recovery-codes", { body: { password, code } }));

export const removeSecondFactor = (password: string, code: string) =>
  call(client.POST("/api/auth/second-factor/remove", { body: { password, code } }));

/** Of somebody else, for admins. */
export const resetSecondFactor = (userId: number) =>
  call(
    client.POST("/api/users/{user_id}/reset-second-factor", {
      params: { path: { user_id: userId } },
    }),
  );
