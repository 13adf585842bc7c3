import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { MemoryRouter } from "react-router";
import { afterEach, expect, it, vi } from "vitest";
import type { ProjectWork } from "../../api/types";
import { t } from "../../strings";
import { ProjectList } from "./ProjectList";

const PAGE = 3;

/** A server that has projects with the ids 1 to `count`, and gives three at a time. */
function serve(count: number, more: object = {}) {
  vi.stubGlobal("fetch", async (request: Request) => {
    const cursor = new URL(request.url).searchParams.get("cursor");
    const first = cursor === null ? count : Number(cursor) - 1;
    const ids = Array.from({ length: Math.min(PAGE, first) }, (_, place) => first - place);
    const counts = { pool: 0, unlabeled: 0, queried: 0, labeled_in: 0, labeled_ood: 0, unsure: 0 };
    const items = ids.map((id) => ({
      id,
      name: `Project ${id}.`,
      task: "classification",
      state: "draft",
      created_at: "2026-01-01T00:00:00Z",
      counts: { ...counts, evaluation: 0, validation: 0, held_out: 0 },
      current_round: null,
      medium: "image",
      permissions: ["label", "review", "manage"],
      pictures: [10 * id],
      excerpts: [],
      ...more,
    }));
    return Response.json({ items, next_cursor: ids.length === PAGE ? ids.at(-1) : null });
  });
}

function show(work: ProjectWork[] = []) {
  render(
    <QueryClientProvider client={new QueryClient()}>
      <MemoryRouter>
        <ProjectList canCreate={true} work={work} />
      </MemoryRouter>
    </QueryClientProvider>,
  );
}

const names = () => screen.queryAllByText(/^Project \d+\.$/).map((one) => one.textContent);

const named = (...ids: number[]) => ids.map((id) => `Project ${id}.`);

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

it("shows a page, and every other on request", async () => {
  serve(7);
  show();
  await screen.findByText("Project 7.");
  expect(names()).toEqual(named(7, 6, 5));
  fireEvent.click(screen.getByRole("button", { name: t.projects.more }));
  await screen.findByText("Project 4.");
  fireEvent.click(screen.getByRole("button", { name: t.projects.more }));
  await screen.findByText("Project 1.");
  expect(names()).toEqual(named(7, 6, 5, 4, 3, 2, 1));
  expect(screen.queryByRole("button", { name: t.projects.more })).toBeNull();
});

it("shows pictures of each project", async () => {
  serve(2);
  show();
  await screen.findByText("Project 2.");
  const sources = [...document.querySelectorAll("article img")].map((one) =>
    one.getAttribute("src"),
  );
  expect(sources.map((one) => one?.split("?")[0])).toEqual([
    "/api/examples/20/image",
    "/api/examples/10/image",
  ]);
});

it("offers no more where there is none", async () => {
  serve(2);
  show();
  await screen.findByText("Project 2.");
  expect(names()).toEqual(named(2, 1));
  expect(screen.queryByRole("button", { name: t.projects.more })).toBeNull();
});

it("says of a draft alone that it is not started", async () => {
  serve(1);
  show();
  await screen.findByText(t.projects.noRound);
  cleanup();
  serve(1, { state: "finished" });
  show();
  await screen.findByText("Project 1.");
  expect(screen.queryByText(t.projects.noRound)).toBeNull();
});

it("offers to take the labels of a finished project away, and no labeling", async () => {
  serve(1, { state: "finished" });
  show();
  const link = await screen.findByRole("link", { name: t.projects.takeAwayOf("Project 1.") });
  expect(link.getAttribute("href")).toBe("/projects/1/settings#exports");
  expect(screen.queryByRole("link", { name: t.projects.labelProject("Project 1.") })).toBeNull();
  cleanup();
  serve(1, { state: "finished", permissions: ["label"] });
  show();
  await screen.findByText("Project 1.");
  expect(screen.queryByRole("link", { name: /label/i })).toBeNull();
});

it("speaks of no class where rows are ranked", async () => {
  serve(1, { task: "instructions", medium: "text" });
  show();
  await screen.findByText(t.projects.counts.ranked);
  expect(screen.queryByText(t.projects.counts.ood)).toBeNull();
});

it("offers no page to label at where there is none for the type of task", async () => {
  serve(1, { task: "severity", state: "running" });
  show();
  expect(await screen.findByText("Labeled by a script")).toBeTruthy();
  expect(screen.queryByRole("link", { name: /^Label/ })).toBeNull();
  cleanup();
  serve(1, { state: "running" });
  show();
  expect(await screen.findByRole("link", { name: /^Label/ })).toBeTruthy();
});

it.each([
  ["Waits for its turn, with one job before it.", 0, "Waits for its turn, with one job before it."],
  [null, 0, t.home.first],
  [null, 3, t.home.waitingFor.training],
])("says what the next images wait for: %s in round %i", async (waits, number, said) => {
  const round = { number, state: "selecting", spent: 0, budget: 30, failed: false };
  serve(1, { state: "running", current_round: round });
  show([{ id: 1, waiting: 0, waiting_for: "training", waits, reviews: null } as ProjectWork]);
  expect(await screen.findByText(said, { exact: false })).toBeTruthy();
});
