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

function show() {
  // jsdom lays nothing out, and a grid without a width asks for nothing.
  vi.spyOn(window, "scrollTo").mockImplementation(() => {});
  vi.spyOn(Element.prototype, "clientWidth", "get").mockReturnValue(600);
  render(
    <QueryClientProvider
      client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}
    >
      <MemoryRouter>
        <PoolScreen project={project} />
      </MemoryRouter>
    </QueryClientProvider>,
  );
}

afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

it("says where the next page could not be had, and asks for no other again", async () => {
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
  show();
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

it("keeps whoever goes by keys in the grid when other images take the place of these", async () => {
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input) => {
    const { pathname, searchParams } = new URL((input as Request).url);
    if (!pathname.endsWith("/projects/7/examples")) return Response.json({}, { status: 404 });
    const id = searchParams.get("similar_to") ? 2 : 1;
    const items = [{ id, name: `${id}.png`, similarity: 0.5, state: "unlabeled", places: [] }];
    return Response.json({ items, next_cursor: null, scores_round: null, searched: 1 });
  });
  show();
  const before = await screen.findByRole("listbox", { name: t.pool.grid });
  before.focus();
  fireEvent.keyDown(before, { key: "s", code: "KeyS" });
  await waitFor(() => expect(before.isConnected).toBe(false));
  const grid = await screen.findByRole("listbox", { name: t.pool.grid });
  expect(document.activeElement).toBe(grid);
});
