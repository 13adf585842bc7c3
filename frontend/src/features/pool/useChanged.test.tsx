import {
  QueryClient,
  QueryClientProvider,
  useInfiniteQuery,
  useQueries,
} from "@tanstack/react-query";
import { act, cleanup, renderHook, waitFor } from "@testing-library/react";
import type { ReactNode } from "react";
import { afterEach, expect, it, vi } from "vitest";
import { exampleCountQuery, examplesQuery } from "../../api/pool";
import type { Example, Filters } from "../../api/types";
import { useChanged } from "./useChanged";

const SPLIT = { split: "pool" } as Filters;

afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
  vi.useRealTimers();
});

function provided() {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const wrapper = ({ children }: { children: ReactNode }) => (
    <QueryClientProvider client={client}>{children}</QueryClientProvider>
  );
  return { client, wrapper };
}

/** The pool of a project of two pages, of which the second comes once it is let through. */
async function pool() {
  let letThrough = () => {};
  const waits = new Promise<void>((resolve) => {
    letThrough = resolve;
  });
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input) => {
    const { pathname, searchParams } = new URL((input as Request).url);
    if (!pathname.endsWith("/examples")) return Response.json({}, { status: 404 });
    const isSecond = searchParams.get("cursor") !== null;
    if (isSecond) await waits;
    const items = [{ id: isSecond ? 2 : 1, state: "unlabeled" }];
    return Response.json({ items, next_cursor: isSecond ? null : 1, scores_round: null });
  });
  const { client, wrapper } = provided();
  const query = examplesQuery(7, SPLIT, "pool_index");
  const { result } = renderHook(() => ({ tell: useChanged(7), found: useInfiniteQuery(query) }), {
    wrapper,
  });
  await waitFor(() => expect(result.current.found.data?.pages).toHaveLength(1));
  act(() => {
    void result.current.found.fetchNextPage();
  });
  const states = () =>
    client
      .getQueryData(query.queryKey)
      ?.pages.flatMap(({ items }) => items.map((one) => one.state));
  return { client, query, result, letThrough, states };
}

const labeled = (one: Example): Example => ({ ...one, state: "labeled" });

it("keeps what was said while the next page was under way", async () => {
  const { result, letThrough, states } = await pool();
  act(() => result.current.tell([1], labeled));
  letThrough();
  await waitFor(() => expect(states()).toHaveLength(2));
  expect(states()).toEqual(["labeled", "unlabeled"]);
});

it("takes the word of the server where all was read anew since", async () => {
  const { client, query, result, letThrough, states } = await pool();
  act(() => result.current.tell([1], labeled));
  expect(states()).toEqual(["labeled"]);
  await act(() => client.invalidateQueries({ queryKey: query.queryKey }));
  letThrough();
  await waitFor(() => expect(client.isFetching()).toBe(0));
  expect(states()).toEqual(["unlabeled"]);
});

it("counts again once nothing more is said, and only what that changes", async () => {
  vi.useFakeTimers();
  const counted: string[] = [];
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input) => {
    const { search } = new URL((input as Request).url);
    counted.push(search);
    return Response.json({ count: 2, exact: true });
  });
  const filters: Filters[] = [SPLIT, { ...SPLIT, name: "cat" }, { ...SPLIT, disagreement: false }];
  const { result } = renderHook(
    () => {
      useQueries({ queries: filters.map((one) => exampleCountQuery(7, one)) });
      return useChanged(7);
    },
    { wrapper: provided().wrapper },
  );
  await vi.runAllTimersAsync();
  expect(counted).toHaveLength(3);
  for (const id of [1, 2, 3]) {
    result.current([id], labeled);
    await vi.advanceTimersByTimeAsync(500);
  }
  await vi.advanceTimersByTimeAsync(5_000);
  expect(counted.slice(3)).toEqual([expect.stringContaining("disagreement=false")]);
});
