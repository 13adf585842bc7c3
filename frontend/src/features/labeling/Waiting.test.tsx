import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen } from "@testing-library/react";
import { MemoryRouter } from "react-router";
import { afterEach, expect, it, vi } from "vitest";
import { betweenQuery } from "../../api/labeling";
import type { LabelStatus } from "../../api/types";
import { t } from "../../strings";
import { Waiting } from "./Waiting";

afterEach(cleanup);

const { waiting: text } = t.label;

function show(waitingFor: LabelStatus["waiting_for"], checks: boolean, elsewhere = false) {
  vi.stubGlobal(
    "fetch",
    vi.fn(() => new Promise(() => {})),
  );
  vi.stubGlobal(
    "EventSource",
    class {
      addEventListener() {}
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
