import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen } from "@testing-library/react";
import { MemoryRouter } from "react-router";
import { afterEach, expect, it, vi } from "vitest";
import type { CertificateDetail } from "../../api/guarantee";
import { jobsOfKindQuery } from "../../api/rounds";
import type { Job, Project } from "../../api/types";
import { Standing } from "./Standing";

afterEach(cleanup);

const project = { id: 7, permissions: ["label", "review", "manage"] } as unknown as Project;
const asking = {
  ...{ id: 3, state: "asking", job_id: 40, answered: 500, waiting: 0, round: null },
  ...{ expected_answers: 120, auto: 0, lots_of: [], stalled: null },
} as unknown as CertificateDetail;

function show(job: Partial<Job>, certificate = asking) {
  vi.stubGlobal(
    "fetch",
    vi.fn(() => new Promise(() => {})),
  );
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } });
  const items = [{ id: 41, kind: "advance_round", dry_run: false, progress: null, ...job }];
  client.setQueryData(jobsOfKindQuery(7, "advance_round").queryKey, { items } as never);
  render(
    <QueryClientProvider client={client}>
      <MemoryRouter>
        <Standing project={project} certificate={certificate} />
      </MemoryRouter>
    </QueryClientProvider>,
  );
}

it("says what further checks wait for while a round closes", () => {
  const message = "Waits for its turn, with one job before it.";
  show({ state: "queued", message, error: null });
  expect(screen.getByRole("progressbar", { name: message })).toBeTruthy();
  expect(screen.getByText(/A round is being closed/)).toBeTruthy();
});

it("says nothing of it while people are asked", () => {
  show({ state: "succeeded", message: null, error: null });
  expect(screen.queryByText(/A round is being closed/)).toBeNull();
});

it("says why it does not go on", () => {
  const stalled = "The file of certificate 3 is not in the data directory; restore it.";
  show({ state: "succeeded", message: null, error: null }, { ...asking, stalled });
  expect(screen.getByText("It does not go on for now.").parentElement?.textContent).toContain(
    stalled,
  );
});
