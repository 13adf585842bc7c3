import { QueryClient } from "@tanstack/react-query";
import { isTransient } from "./errors";

export function makeQueryClient(): QueryClient {
  return new QueryClient({
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
}
