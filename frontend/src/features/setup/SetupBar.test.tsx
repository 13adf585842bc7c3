import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen } from "@testing-library/react";
import { MemoryRouter } from "react-router";
import { afterEach, expect, it } from "vitest";
import { importsQuery } from "../../api/imports";
import type { Project } from "../../api/types";
import { SetupBar } from "./SetupBar";

/** Shows the bar of a draft, and returns what can be pressed. */
function offered(unlabeled: number, dirty: boolean, refused: Error | null = null) {
  const counts = { pool: 9, held_out: 0, unlabeled, queried: 0 };
  const project = { id: 7, state: "draft", counts } as unknown as Project;
  const client = new QueryClient({
    defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY, retry: false } },
  });
  client.setQueryData(importsQuery(project.id).queryKey, { items: [] });
  const nothing = () => {};
  render(
    <MemoryRouter>
      <QueryClientProvider client={client}>
        <SetupBar
          project={project}
          classCount={2}
          dirty={dirty}
          problems={[]}
          refused={refused}
          saving={false}
          starting={false}
          onSave={nothing}
          onDiscard={nothing}
          onStart={nothing}
        />
      </QueryClientProvider>
    </MemoryRouter>,
  );
  const pressable = [...screen.queryAllByRole("link"), ...screen.queryAllByRole("button")];
  return pressable.map(({ textContent }) => textContent);
}

afterEach(cleanup);

it("offers to start while there is something to ask about", () => {
  expect(offered(3, false)).toEqual(["Start labeling"]);
  cleanup();
  // A draft saves itself.
  expect(offered(3, true)).toEqual(["Start labeling"]);
  expect(screen.getByRole("status").textContent).toContain("Not saved yet");
});

it("offers no start where every image has a label, with edits and without", () => {
  expect(offered(0, false)).toEqual(["Go to jobs"]);
  cleanup();
  expect(offered(0, true)).toEqual([]);
  expect(screen.getByRole("status").textContent).toContain("Not saved yet");
});

it("says where it was pressed why the server has refused", () => {
  expect(offered(3, true, new Error("settings.budget: too much."))).toEqual([
    "Cancel",
    "Try again",
    "Start labeling",
  ]);
  expect(screen.getByRole("alert").textContent).toBe("settings.budget: too much.");
});
