import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen } from "@testing-library/react";
import { MemoryRouter } from "react-router";
import { afterEach, expect, it, vi } from "vitest";
import { importsQuery } from "../../api/imports";
import type { Job, Project } from "../../api/types";
import { Managing } from "../../ui/managing";
import { OverviewScreen } from "./OverviewScreen";

afterEach(cleanup);

const project = {
  ...{ id: 7, name: "Birds", task: "classification", medium: "image", state: "draft" },
  ...{
    classes: [],
    warnings: [],
    current_round: null,
    settings: { first_queue: "random" },
    modes: [],
  },
  counts: { pool: 0, unlabeled: 0, queried: 0, labeled_in: 0, labeled_ood: 0, unsure: 0 },
  permissions: ["label", "review", "manage"],
} as unknown as Project;
const plan = { id: 41, kind: "import_pool", dry_run: true, state: "succeeded" } as Partial<Job>;

function show(jobs: Partial<Job>[], manages = true) {
  vi.stubGlobal(
    "fetch",
    vi.fn(() => new Promise(() => {})),
  );
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } });
  client.setQueryData(importsQuery(7).queryKey, { items: jobs } as never);
  render(
    <QueryClientProvider client={client}>
      <Managing value={manages}>
        <MemoryRouter>
          <OverviewScreen project={project} guarantee={null} />
        </MemoryRouter>
      </Managing>
    </QueryClientProvider>,
  );
}

it("says in the overview that a plan waits for an answer, and leads to it", () => {
  show([
    { ...plan, params: { filename: "birds.zip" } },
    { ...plan, id: 42, dry_run: false, params: { filename: "done.zip" } },
  ]);
  expect(screen.getByText(/The import of “birds.zip” waits for your answer/)).toBeTruthy();
  const link = screen.getByRole("link", { name: "Show the plan" });
  expect(link.getAttribute("href")).toBe("/projects/7/settings#images");
});

it("says it to nobody who cannot answer, and of none that is still being made", () => {
  show([{ ...plan, params: { filename: "birds.zip" } }], false);
  expect(screen.queryByText(/waits for your answer/)).toBeNull();
  cleanup();
  show([{ ...plan, state: "running", params: { filename: "birds.zip" } }]);
  expect(screen.queryByText(/waits for your answer/)).toBeNull();
});
