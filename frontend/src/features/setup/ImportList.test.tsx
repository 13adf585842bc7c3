import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import { predictionsQuery } from "../../api/predictions";
import type { ImportReport, Job } from "../../api/types";
import { withdrawalsQuery } from "../../api/withdrawals";
import { ImportList } from "./ImportList";

function shown(brought: Partial<ImportReport>, more: Partial<Job> = {}, withdrawn: unknown[] = []) {
  const result = {
    added: 0,
    duplicates: 0,
    refused: 0,
    total: 4,
    by_split: {},
    refused_examples: [],
    ...brought,
  };
  const params = { filename: "labels.csv", split: "pool" };
  const made = { id: 3, kind: "import_examples", state: "succeeded", params, result };
  const job = { ...made, ...more } as unknown;
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } });
  client.setQueryData(withdrawalsQuery(7).queryKey, { items: withdrawn } as never);
  client.setQueryData(predictionsQuery(7).queryKey, {
    items: [{ model: "yolo-v8", examples: 40, import_id: 1 }],
  });
  render(
    <QueryClientProvider client={client}>
      <ImportList projectId={7} jobs={[job as Job]} />
    </QueryClientProvider>,
  );
}

afterEach(cleanup);

it("does not call an import done that brought nothing", () => {
  const refused_examples = [{ name: "row 2", reason: "No such image." }];
  shown({ refused: 4, refused_examples, refused_by_reason: { "No such image.": 4 } });
  expect(screen.queryByText("Imported")).toBeNull();
  expect(screen.getByText("Brought nothing")).toBeTruthy();
  expect(screen.getByText("Nothing added, 4 refused")).toBeTruthy();
  expect(screen.getByText("4: row 2, …")).toBeTruthy();
});

it("says of an import that lacks something what, and what to do about it", () => {
  const unknown = {
    "label 'cat' is not a class of the project": 30,
    'label "cat\'s" is not a class of the project': 10,
    "not an image by its name (.txt)": 1,
  };
  const report = { added: 750, total: 791, refused: 41, refused_by_reason: unknown };
  shown({ ...report, by_split: { pool: 750 } });
  expect(screen.queryByText("Imported")).toBeNull();
  expect(screen.getByText("Imported in part")).toBeTruthy();
  const said = screen.getByText(/40 items stayed out.*: cat, cat's\. .*import again/);
  expect(said.textContent).toContain("None of its evaluation images came in");
  cleanup();
  shown({ ...report, by_split: { pool: 700, evaluation: 50 } });
  expect(screen.getByText(/40 items stayed out/).textContent).not.toContain("None of");
  cleanup();
  shown({ added: 4, by_split: { pool: 4 } });
  expect(screen.getByText("Imported")).toBeTruthy();
  expect(screen.queryByText(/stayed out/)).toBeNull();
});

it.each<[string, boolean]>([
  ["2030-01-01T10:00:00Z", false],
  // It was retried, and has gone on behind what was taken back.
  ["2030-01-01T12:00:00Z", true],
])("offers to take back what an import added since, ended %s: %s", (finished_at, again) => {
  const created_at = "2030-01-01T11:00:00Z";
  shown({ added: 5 }, { finished_at }, [
    { id: 1, import_id: 3, images: 3, state: "done", created_at },
  ]);
  expect(screen.getByText("3 images taken back")).toBeTruthy();
  expect(screen.queryByRole("button", { name: "Take back" }) !== null).toBe(again);
});

it("does not call an import done in which no row has a label", () => {
  shown({ empty: 4 });
  expect(screen.getByText("Brought nothing")).toBeTruthy();
  expect(screen.getByText("Nothing added, 4 without a label")).toBeTruthy();
});

it.each<[string, Partial<ImportReport>]>([
  [
    "3 rows: 2 labels added, 1 known already",
    { total: 3, annotations: 2, labeled: 2, unchanged: 1 },
  ],
  ["2 labels added", { total: 2, annotations: 2, labeled: 2 }],
  // Rows of several columns bring more labels than there are rows, and corrected ones fewer.
  ["2 rows: 2 with new labels · 5 labels added", { total: 2, annotations: 5, labeled: 2 }],
  [
    "4 rows: 3 with new labels, 1 refused · 2 labels added",
    { total: 4, annotations: 2, labeled: 3, refused: 1 },
  ],
  ["5 images added, 1 duplicate, 2 refused", { total: 8, added: 5, duplicates: 1, refused: 2 }],
  ["5 images added · 5 labels added", { total: 5, added: 5, annotations: 5 }],
  [
    "9 rows: 5 images added, 3 with new labels, 1 known already · 8 labels added",
    { total: 9, added: 5, annotations: 8, labeled: 3, unchanged: 1 },
  ],
  [
    "2 labels added · 1 contradicts another label of its image; both are kept",
    { total: 2, annotations: 2, labeled: 2, contradicting: 1 },
  ],
  ["2 labels added", { total: 4, annotations: 2 }],
])("says each row once: %s", (text, brought) => {
  shown(brought);
  expect(screen.getByText(text)).toBeTruthy();
});

it("tells how rows were taken, where there is anything to say", () => {
  shown({ added: 4, noted: { "a label is not taken": 3 } });
  expect(screen.getByText("How was it taken?")).toBeTruthy();
  expect(screen.getByText(/a label is not taken/).textContent).toContain("3");
  cleanup();
  shown({ added: 4, noted: {} });
  expect(screen.queryByText("How was it taken?")).toBeNull();
});

it.each<Partial<ImportReport>>([
  { added: 1 },
  { annotations: 2, labeled: 2 },
  { duplicates: 4 },
  { unchanged: 4 },
])("calls one done that brought %o", (brought) => {
  shown(brought);
  expect(screen.getByText("Imported")).toBeTruthy();
});

it("names the part of the pool that images went to, and none where labels came alone", () => {
  shown({ added: 2, by_split: { pool: 2 } });
  expect(screen.getByText("Pool")).toBeTruthy();
  cleanup();
  shown({ annotations: 2, labeled: 2, by_split: { pool: 0 } });
  expect(screen.queryByText("Pool")).toBeNull();
});

it("lists models whose predictions an import brought that is not among these", () => {
  shown({ added: 4, by_split: { pool: 4 } });
  expect(screen.getByRole("button", { name: "Remove the predictions of yolo-v8" })).toBeTruthy();
});
