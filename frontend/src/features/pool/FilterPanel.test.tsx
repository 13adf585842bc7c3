import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import type { Filters, Project } from "../../api/types";
import { t } from "../../strings";
import { Managing } from "../../ui/managing";
import { FilterPanel } from "./FilterPanel";

afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

const project = { id: 7, medium: "image", task: "classification", classes: [] };

it("offers imports of any age", async () => {
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input) => {
    const { pathname, searchParams } = new URL((input as Request).url);
    if (!pathname.endsWith("/imports")) return Response.json({ items: [] });
    const isFirst = searchParams.get("cursor") === null;
    const [id, filename] = isFirst ? [9, "late.zip"] : [3, "first.zip"];
    const items = [{ id, dry_run: false, params: { filename } }];
    return Response.json({ items, next_cursor: isFirst ? 9 : null });
  });
  render(
    <QueryClientProvider client={new QueryClient()}>
      <Managing value>
        <FilterPanel
          project={project as unknown as Project}
          filters={{} as Filters}
          scoresRound={null}
          onChange={() => {}}
          onClear={null}
        />
      </Managing>
    </QueryClientProvider>,
  );
  expect(await screen.findByRole("option", { name: "9: late.zip" })).toBeDefined();
  fireEvent.click(screen.getByRole("button", { name: t.pool.earlierImports }));
  expect(await screen.findByRole("option", { name: "3: first.zip" })).toBeDefined();
  expect(screen.queryByRole("button", { name: t.pool.earlierImports })).toBeNull();
});
