import {
  infiniteQueryOptions,
  QueryClient,
  QueryClientProvider,
  useInfiniteQuery,
} from "@tanstack/react-query";
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import { Fetching } from "./Fetching";
import { More } from "./More";

afterEach(cleanup);

const pages = (get: (page: number) => Promise<string>) =>
  infiniteQueryOptions({
    queryKey: ["pages"],
    queryFn: ({ pageParam }) => get(pageParam),
    initialPageParam: 0,
    getNextPageParam: (_last, all) => (all.length < 2 ? all.length : undefined),
    retry: false,
  });

function List({ options }: { options: ReturnType<typeof pages> }) {
  const list = useInfiniteQuery(options);
  return (
    <>
      <Fetching of={list} height="1rem" />
      {list.data?.pages.join(" ")}
      <More list={list}>Show more</More>
    </>
  );
}

it("says why the next page could not be had, keeps what is there, and tries again", async () => {
  let isGone = true;
  const get = (page: number) =>
    page > 0 && isGone ? Promise.reject(new Error("No network.")) : Promise.resolve(`page ${page}`);
  render(
    <QueryClientProvider client={new QueryClient()}>
      <List options={pages(get)} />
    </QueryClientProvider>,
  );
  fireEvent.click(await screen.findByRole("button", { name: "Show more" }));
  expect((await screen.findByRole("alert")).textContent).toBe("No network.");
  expect(screen.getByText(/page 0/)).toBeTruthy();
  isGone = false;
  fireEvent.click(screen.getByRole("button", { name: "Show more" }));
  expect(await screen.findByText(/page 0 page 1/)).toBeTruthy();
  expect(screen.queryByRole("alert")).toBeNull();
  expect(screen.queryByRole("button")).toBeNull();
});
