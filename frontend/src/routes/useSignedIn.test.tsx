import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, renderHook, waitFor } from "@testing-library/react";
import type { ReactNode } from "react";
import { expect, it, vi } from "vitest";
import { meQuery } from "../api/auth";
import type { Me } from "../api/types";
import { useSignedIn } from "./useSignedIn";

const MINA = { id: 7, name: "Mina" } as Me;

it.each([
  [MINA, MINA],
  [null, null],
])("of %o is %o still known once the session has ended", async (first, then) => {
  vi.stubGlobal(
    "fetch",
    vi.fn(() => new Promise(() => {})),
  );
  const client = new QueryClient();
  client.setQueryData(meQuery.queryKey, first);
  const wrapper = ({ children }: { children: ReactNode }) => (
    <QueryClientProvider client={client}>{children}</QueryClientProvider>
  );
  const { result } = renderHook(useSignedIn, { wrapper });
  expect(result.current.user).toBe(first);
  act(() => void client.setQueryData(meQuery.queryKey, null));
  await waitFor(() => expect(result.current.me.data).toBeNull());
  expect(result.current.user).toBe(then);
});
