import { QueryClientProvider, useQuery } from "@tanstack/react-query";
import { act, cleanup, render, screen, within } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { ApiError, NetworkError } from "../api/errors";
import { makeQueryClient } from "../api/queryClient";
import { t } from "../strings";
import { Dialog } from "./Dialog";
import { StillTrying } from "./StillTrying";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

it("says that the server is asked again, for as long as nothing is there to be seen", async () => {
  let isAway = true;
  const ask = async () => {
    if (isAway) throw new NetworkError();
    return "the projects";
  };
  function Page() {
    return <p>{useQuery({ queryKey: ["projects"], queryFn: ask, staleTime: 0 }).data}</p>;
  }
  const client = makeQueryClient();
  render(
    <QueryClientProvider client={client}>
      <Page />
      <StillTrying />
    </QueryClientProvider>,
  );
  const said = () => screen.queryByText(t.common.tryingAgain) !== null;
  const pass = (milliseconds: number) => act(() => vi.advanceTimersByTimeAsync(milliseconds));
  expect(said()).toBe(false);
  await pass(100);
  expect(said()).toBe(true);
  isAway = false;
  await pass(1_000);
  expect(screen.getByText("the projects")).toBeTruthy();
  expect(said()).toBe(false);
  // What is there already is only somewhat old.
  isAway = true;
  void client.invalidateQueries();
  await pass(100);
  expect([said(), client.isFetching()]).toEqual([false, 1]);
});

it("says nothing of what the server answers, nor of what no page waits for", async () => {
  const refusing = async () => {
    throw new ApiError(503, { detail: "Busy." });
  };
  const away = async () => {
    throw new NetworkError();
  };
  function Page() {
    useQuery({ queryKey: ["busy"], queryFn: refusing });
    return null;
  }
  const client = makeQueryClient();
  render(
    <QueryClientProvider client={client}>
      <Page />
      <StillTrying />
    </QueryClientProvider>,
  );
  // Such as what the next page will ask for.
  void client.fetchQuery({ queryKey: ["ahead"], queryFn: away, retry: 3 }).catch(() => {});
  await act(() => vi.advanceTimersByTimeAsync(100));
  expect(client.isFetching()).toBe(2);
  expect(screen.queryByText(t.common.tryingAgain)).toBeNull();
});

it("says so in a dialog, behind which nothing of the page is read", async () => {
  const away = async () => {
    throw new NetworkError();
  };
  function Part() {
    useQuery({ queryKey: ["plan"], queryFn: away });
    return null;
  }
  render(
    <QueryClientProvider client={makeQueryClient()}>
      <Dialog title="Import streets?">
        <Part />
      </Dialog>
    </QueryClientProvider>,
  );
  await act(() => vi.advanceTimersByTimeAsync(100));
  expect(within(screen.getByRole("dialog")).getByText(t.common.tryingAgain)).toBeTruthy();
});
