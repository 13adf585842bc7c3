import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, cleanup, render, screen } from "@testing-library/react";
import { MemoryRouter } from "react-router";
import { afterEach, expect, it, vi } from "vitest";
import { betweenQuery } from "../../api/labeling";
import type { JobProgress, LabelStatus } from "../../api/types";
import { t } from "../../strings";
import { Waiting } from "./Waiting";

afterEach(cleanup);

const { waiting: text } = t.label;
/** What the page listens to. */
let source: EventTarget;

function show(waitingFor: LabelStatus["waiting_for"], checks: boolean, elsewhere = false) {
  vi.stubGlobal(
    "fetch",
    vi.fn(() => new Promise(() => {})),
  );
  vi.stubGlobal(
    "EventSource",
    class extends EventTarget {
      constructor() {
        super();
        source = this;
      }
      close() {}
    },
  );
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } });
  const round = { number: 2, state: "open", spent: 0, budget: 30 };
  client.setQueryData(betweenQuery(7).queryKey, {
    ...{ round, checks, failure: null, next: null, job_id: null, progress: null },
    mine: { answers: 0 },
  } as never);
  const status = { project_state: "running", waiting_for: waitingFor, round } as LabelStatus;
  render(
    <QueryClientProvider client={client}>
      <MemoryRouter>
        <Waiting
          projectId={7}
          task="classification"
          status={status}
          elsewhere={elsewhere}
          onTakeOver={() => {}}
          canUndo={false}
          onUndo={() => {}}
          onNews={() => {}}
        />
      </MemoryRouter>
    </QueryClientProvider>,
  );
  return client;
}

it.each(["training", "others", "finished"] as const)(
  "says of checks what it says of nothing else while they wait for %s",
  (why) => {
    show(why, true);
    expect(screen.getByRole("status").textContent).toContain(text.checks[why].title);
    cleanup();
    show(why, false);
    expect(screen.getByRole("status").textContent).toContain(text[why].title);
  },
);

it("lets checks that somebody has open elsewhere be taken here", () => {
  show("others", true, true);
  expect(screen.getByRole("button", { name: text.takeOver })).toBeTruthy();
});

it("says what its job waits for, and calls nothing at work before it begins", async () => {
  const client = show("training", false);
  const waits = "Waits for its turn, with one job before it.";
  await act(async () => {
    client.setQueryData(betweenQuery(7).queryKey, (before) => before && { ...before, waits });
    await new Promise((told) => setTimeout(told));
  });
  const said = screen.getByRole("status").textContent;
  expect(said).toContain(waits);
  expect(said).not.toContain(text.training.title);
});

it("tells of the training at hand, and not of the one before", async () => {
  const client = show("training", false);
  const trains = (job_id: number) =>
    act(async () => {
      client.setQueryData(betweenQuery(7).queryKey, (before) => before && { ...before, job_id });
      // The page is told a moment later.
      await new Promise((told) => setTimeout(told));
    });
  await trains(5);
  const progress: Partial<JobProgress> = {
    ...{ phase: "train", phases: ["train"], phase_index: 0 },
    ...{ step: 9, steps: 10, eta_seconds: null },
  };
  const data = JSON.stringify({ id: 5, progress });
  act(() => void source.dispatchEvent(new MessageEvent("job", { data })));
  expect(screen.getByRole("progressbar").getAttribute("aria-valuenow")).toBe("90");
  await trains(6);
  expect(screen.queryByRole("progressbar")).toBeNull();
});
