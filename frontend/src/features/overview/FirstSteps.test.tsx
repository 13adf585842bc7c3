import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen } from "@testing-library/react";
import { MemoryRouter } from "react-router";
import { afterEach, expect, it, vi } from "vitest";
import { jobsOfKindQuery } from "../../api/rounds";
import type { Job, Project } from "../../api/types";
import { FirstSteps } from "./FirstSteps";

afterEach(cleanup);

const project = {
  ...{ id: 7, task: "instructions", medium: "text", state: "draft", current_round: null },
  ...{ classes: [], settings: { first_queue: "random" }, counts: { pool: 36, held_out: 0 } },
} as unknown as Project;

function show(jobs: Partial<Job>[]) {
  vi.stubGlobal(
    "fetch",
    vi.fn(() => new Promise(() => {})),
  );
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } });
  const found = { items: jobs, next_cursor: null } as never;
  client.setQueryData(jobsOfKindQuery(7, "select_instructions").queryKey, found);
  render(
    <QueryClientProvider client={client}>
      <MemoryRouter>
        <FirstSteps project={project} />
      </MemoryRouter>
    </QueryClientProvider>,
  );
}

it("asks nobody to choose instructions that were chosen", () => {
  const job = {
    id: 3,
    state: "succeeded",
    params: { method: "longest" },
    created_at: "2026-01-01",
  };
  show([{ ...job, dry_run: true } as Partial<Job>]);
  expect(screen.getByRole("link", { name: /worth tuning on/ })).toBeTruthy();
  cleanup();
  show([{ ...job, dry_run: false } as Partial<Job>]);
  expect(screen.queryByText("First steps")).toBeNull();
});
