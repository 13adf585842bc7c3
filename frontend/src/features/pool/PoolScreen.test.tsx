import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { MemoryRouter } from "react-router";
import { afterEach, expect, it, vi } from "vitest";
import type { Project } from "../../api/types";
import { t } from "../../strings";
import { PoolScreen } from "./PoolScreen";

const project = {
  ...{ id: 7, medium: "image", task: "classification", classes: [], counts: { pool: 3 } },
  settings: {},
} as unknown as Project;

afterEach(cleanup);

it("says where the next page could not be had, and asks for no other again", async () => {
  // jsdom lays nothing out, and a grid without a width asks for nothing.
  vi.spyOn(window, "scrollTo").mockImplementation(() => {});
  vi.spyOn(Element.prototype, "clientWidth", "get").mockReturnValue(600);
  const asked: (string | null)[] = [];
  let isBusy = true;
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input) => {
    const { pathname, searchParams } = new URL((input as Request).url);
    if (!pathname.endsWith("/projects/7/examples")) return Response.json({}, { status: 404 });
    const cursor = searchParams.get("cursor");
    asked.push(cursor);
    if (cursor && isBusy) return Response.json({ detail: "Too busy." }, { status: 500 });
    const items = [{ id: cursor ? 2 : 1, name: `${cursor}.png`, state: "unlabeled", places: [] }];
    const next_cursor = cursor ? null : "next";
    return Response.json({ items, next_cursor, scores_round: null, searched: 1 });
  });
  render(
    <QueryClientProvider
      client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}
    >
      <MemoryRouter>
        <PoolScreen project={project} />
      </MemoryRouter>
    </QueryClientProvider>,
  );
  await waitFor(() => expect(asked).toEqual([null, "next"]));
  const again = await screen.findByRole("button", { name: t.common.retry });
  expect(screen.queryByText(t.pool.end)).toBeNull();
  // At the end of what is there, where whoever scrolls is.
  const grid = screen.getByRole("listbox", { name: t.pool.grid });
  expect(grid.compareDocumentPosition(again)).toBe(Node.DOCUMENT_POSITION_FOLLOWING);
  isBusy = false;
  fireEvent.click(again);
  expect(await screen.findByText(t.pool.end)).toBeDefined();
  expect(asked).toEqual([null, "next", "next"]);
});
