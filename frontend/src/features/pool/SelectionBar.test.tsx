import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import type { Example, Project } from "../../api/types";
import { t } from "../../strings";
import { Managing } from "../../ui/managing";
import { SelectionBar } from "./SelectionBar";

afterEach(cleanup);

function selected(task: string, all: number | null = null, manages = true) {
  const nothing = () => {};
  render(
    <QueryClientProvider client={new QueryClient()}>
      <Managing value={manages}>
        <SelectionBar
          project={{ id: 7, task } as unknown as Project}
          filters={{ split: "pool" }}
          count={all === null ? null : { count: all, exact: true }}
          examples={[{ id: 1, state: "ood" }] as Example[]}
          selection={{
            ids: new Set([1]),
            all: all !== null,
            toggle: nothing,
            extend: nothing,
            pickAll: nothing,
            clear: nothing,
          }}
          calls={new Map()}
          withdrawn={null}
          onWithdrawn={nothing}
          onSimilar={nothing}
        />
      </Managing>
    </QueryClientProvider>,
  );
}

it.each([
  [10_000, false],
  [12_000, true],
])("says of %i that are selected that these are too many at once: %s", (all, told) => {
  selected("classification", all);
  expect(screen.queryByText(/^At most 10,000 at once/) !== null).toBe(told);
});

it.each([
  ["classification", true],
  ["instructions", false],
])("offers to ask about images of %s one by one: %s", (task, offered) => {
  selected(task);
  const { queue, promote } = t.pool.actions;
  for (const name of [queue, promote]) {
    expect(screen.queryByRole("button", { name }) !== null).toBe(offered);
  }
});

it("lets reviewers say what images are, and send none to the queue", () => {
  selected("classification", null, false);
  expect(screen.queryByRole("button", { name: t.pool.actions.queue })).toBeNull();
  expect(screen.getByRole("button", { name: t.pool.byHand.many.action })).toBeDefined();
});
