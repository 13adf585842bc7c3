import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen } from "@testing-library/react";
import { MemoryRouter } from "react-router";
import { afterEach, expect, it } from "vitest";
import type { Job } from "../../api/types";
import { JobCard } from "./JobCard";

afterEach(cleanup);

function show(change: Partial<Job>) {
  const job = {
    ...{ id: 1, kind: "advance_round", state: "queued", params: { closing: null, selecting: 0 } },
    ...{ message: "Waits for its turn, with one job before it.", pause: null },
    ...change,
  } as unknown as Job;
  render(
    <QueryClientProvider client={new QueryClient()}>
      <MemoryRouter>
        <JobCard job={job} projectId={7} />
      </MemoryRouter>
    </QueryClientProvider>,
  );
}

const at = (phase: string) =>
  ({
    ...{ phase, phase_index: 1, phases: ["publish", "embed"], step: 0, steps: 0 },
    ...{ eta_seconds: null, seconds: {} },
  }) as Job["progress"];

it("says that a first queue is open while what is left of its job waits for a worker", () => {
  show({ progress: at("embed") });
  expect(screen.getByText(/with one job before it/)).toBeTruthy();
  expect(screen.getByText(/images of the round can be labeled/)).toBeTruthy();
});

it("does not say so of a queue that waits itself, nor of a later round", () => {
  show({ progress: null });
  show({ progress: at("embed"), params: { closing: 0, selecting: 1 } });
  expect(screen.queryByText(/images of the round can be labeled/)).toBeNull();
});
