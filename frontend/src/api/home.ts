import { queryOptions } from "@tanstack/react-query";
import { call, client } from "./client";
import { utcOffset } from "./clock";

/** What waits for the signed-in user, and how they do; days are those of this browser's clock. */
export const homeQuery = queryOptions({
  queryKey: ["home"],
  queryFn: () =>
    call(
      client.GET("/api/home", {
        params: { query: { utc_offset: utcOffset() } },
      }),
    ),
});

/** Whether the server's disk has room; for those who can do something about it. */
export const diskQuery = queryOptions({
  queryKey: ["disk"],
  queryFn: () => call(client.GET("/api/disk")),
  refetchInterval: 60_000,
});
