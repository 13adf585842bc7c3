import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen } from "@testing-library/react";
import { MemoryRouter } from "react-router";
import { afterEach, expect, it } from "vitest";
import { importsQuery } from "../../api/imports";
import { jobsOfKindQuery } from "../../api/rounds";
import type { Job, Project } from "../../api/types";
import { SetupBar } from "./SetupBar";

const counts = { pool: 9, held_out: 0, unlabeled: 9, queried: 0 };

/** Shows the bar of a draft, and returns what can be pressed. */
function offered(unlabeled: number, dirty: boolean, refused: Error | null = null) {
  const project = { id: 7, state: "draft", counts: { ...counts, unlabeled } };
  return pressable(project as unknown as Project, dirty, refused);
}

/** The same of a draft with instructions, of which some were chosen by now. */
function offeredOf(jobs: Partial<Job>[]) {
  const project = { id: 7, state: "draft", task: "instructions", counts };
  return pressable(project as unknown as Project, false, null, jobs);
}

function pressable(
  project: Project,
  dirty: boolean,
  refused: Error | null,
  jobs: Partial<Job>[] = [],
) {
  const client = new QueryClient({
    defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY, retry: false } },
  });
  client.setQueryData(importsQuery(project.id).queryKey, { items: [], next_cursor: null });
  const found = { items: jobs, next_cursor: null } as never;
  client.setQueryData(jobsOfKindQuery(project.id, "select_instructions").queryKey, found);
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
  const shown = [...screen.queryAllByRole("link"), ...screen.queryAllByRole("button")];
  return shown.map(({ textContent }) => textContent);
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

it("says which instructions were chosen last, and leads to them", () => {
  expect(offeredOf([])).toEqual(["Choose instructions"]);
  cleanup();
  const job = { state: "succeeded", kind: "select_instructions", params: { method: "longest" } };
  const [older, newer] = [400, 1000].map((kept) => ({ result: { kept, rows: 5000 } }));
  const made = offeredOf([
    { ...job, id: 5, dry_run: true } as Partial<Job>,
    { ...job, ...newer, id: 4, dry_run: false } as Partial<Job>,
    { ...job, ...older, id: 3, dry_run: false } as Partial<Job>,
  ]);
  expect(made).toEqual(["Choose again", "Show what is kept"]);
  expect(screen.getByRole("status").textContent).toContain("1,000 of 5,000 rows kept");
  const link = screen.getByRole("link", { name: "Show what is kept" });
  expect(link.getAttribute("href")).toBe("/projects/7/jobs/4");
});

it("says where it was pressed why the server has refused", () => {
  expect(offered(3, true, new Error("settings.budget: too much."))).toEqual([
    "Cancel",
    "Try again",
    "Start labeling",
  ]);
  expect(screen.getByRole("alert").textContent).toBe("settings.budget: too much.");
  // Nothing else would: what saves itself has no other button to save with.
  expect(document.body.textContent).toContain("saved once you try again or edit further");
});
