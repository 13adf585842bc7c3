import { type Query, QueryClient } from "@tanstack/react-query";
import { isTransient } from "./errors";

// One clock stands still while a computer sleeps, the other can be put back.
const now = () => [performance.now(), Date.now()] as const;
const asked = new WeakMap<Query, ReturnType<typeof now>>();

/** How many seconds ago, at most, what is known of a query was asked for. */
export function secondsSinceAsked(query: Query): number {
  const [by, date] = asked.get(query) ?? [Number.NEGATIVE_INFINITY, 0];
  return Math.max(performance.now() - by, Date.now() - date) / 1000;
}

export function makeQueryClient(): QueryClient {
  const client = new QueryClient({
    defaultOptions: {
      queries: {
        // The server may be on this very machine, and there without any network.
        networkMode: "always",
        refetchOnReconnect: true,
        staleTime: 5_000,
        // What the server refuses it will refuse again; what did not reach it may the next time.
        retry: (count, error) => count < 3 && isTransient(error),
      },
      mutations: { networkMode: "always" },
    },
  });
  client.getQueryCache().subscribe((event) => {
    // A further page leaves those before it as old as they were.
    if (event.type === "updated" && event.action.type === "fetch" && !event.action.meta)
      asked.set(event.query, now());
  });
  return client;
}
