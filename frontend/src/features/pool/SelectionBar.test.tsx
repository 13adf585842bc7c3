import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import type { Example, Project } from "../../api/types";
import { t } from "../../strings";
import { SelectionBar } from "./SelectionBar";

afterEach(cleanup);

it.each([
  ["classification", true],
  ["instructions", false],
])("offers to ask about images of %s one by one: %s", (task, offered) => {
  const nothing = () => {};
  render(
    <QueryClientProvider client={new QueryClient()}>
      <SelectionBar
        project={{ id: 7, task } as unknown as Project}
        filters={{ split: "pool" }}
        count={null}
        examples={[{ id: 1, state: "ood" }] as Example[]}
        selection={{
          ids: new Set([1]),
          all: false,
          toggle: nothing,
          extend: nothing,
          pickAll: nothing,
          clear: nothing,
        }}
        onSimilar={nothing}
      />
    </QueryClientProvider>,
  );
  const { queue, promote } = t.pool.actions;
  for (const name of [queue, promote]) {
    expect(screen.queryByRole("button", { name }) !== null).toBe(offered);
  }
});
