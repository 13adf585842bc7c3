import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import type { ImportPlan, Job } from "../../api/types";
import { PlanDialog } from "./PlanDialog";

afterEach(cleanup);

const plan = {
  total: 41,
  rows: 0,
  split: "pool",
  documents: [{ name: "tasks.json", format: "Label Studio" }],
  labels: [
    {
      column: "ada",
      chosen: true,
      stated: true,
      readable: 0,
      unreadable: 41,
      values: ["bill_ing"],
    },
  ],
  bad_by_reason: {},
  groups: [
    {
      name: null,
      proposal: "pool",
      reason: null,
      may_be_class: false,
      count: 41,
      unlabeled: 0,
      labels: [
        { name: "bill_ing", count: 21, known: false },
        { name: "Other", count: 20, known: false },
      ],
      examples: [],
    },
  ],
} as unknown as ImportPlan;

function shown(classes: string[], takesClasses = true, given = plan): string {
  const job = { id: 3, params: { filename: "tasks.json" } } as unknown as Job;
  const nothing = () => {};
  render(
    <QueryClientProvider client={new QueryClient()}>
      <PlanDialog
        projectId={7}
        task="classification"
        job={job}
        plan={given}
        classes={classes}
        takesClasses={takesClasses}
        seen={{ input_size: null, fit: "crop" }}
        onSeen={undefined}
        before={async () => {}}
        onAnswered={nothing}
        onPlanned={nothing}
        onClose={nothing}
      />
    </QueryClientProvider>,
  );
  return screen.getByRole("dialog").textContent ?? "";
}

it.each([
  ["the classes that it proposes", [], true, "ada: 41 labels"],
  ["classes that were added since it was planned", ["Bill ing", "other"], false, "ada: 41 labels"],
  ["other classes", ["Delivery"], false, "ada: 0 labels, and 41 that cannot be read"],
] as const)("counts the labels of a document by %s", (_, classes, takes, said) => {
  expect(shown([...classes], takes)).toContain(said);
});

it("proposes the classes that are listed, and tells of those that nothing is of", () => {
  const said = shown([], true, { ...plan, class_names: ["Other", "bill_ing", "Refund"] });
  expect(said).toContain("Make these 3 the classes");
  expect(said).toContain("Those with 0 are listed in what you sent");
  expect(said).toContain("ada: 41 labels");
  const names = screen.getByRole("list", { name: "Which of these names are classes?" });
  expect(names.textContent).toBe("Other 20bill_ing 21Refund 0");
  cleanup();
  // Where there are classes already, what is only listed is no matter.
  expect(shown(["bill ing"], true, { ...plan, class_names: ["Refund"] })).not.toContain("Refund");
});

it("counts no label in a column of other values than the classes that it proposes", () => {
  const column = { chosen: false, stated: false, readable: 0, unreadable: 9, elsewhere: 2 };
  const labels = [
    { ...column, column: "topic", chosen: true, values: ["Other", "bill_ing"] },
    { ...column, column: "lang", values: ["en"] },
  ];
  const said = shown([], true, { ...plan, labels, columns: { label: "topic" } } as never);
  expect(said).toContain("9 labels: Other, bill_ing");
  expect(said).not.toContain("9 labels: en");
});

it("asks which columns are labels only where an answer changes anything", () => {
  const column = { column: "label", chosen: false, stated: false, readable: 0, unreadable: 0 };
  const labels = [{ ...column, unreadable: 4, elsewhere: 55, values: ["cat", "photos"] }];
  const labeled = (name: string) => ({ count: 41, labels: [{ name, count: 41, known: false }] });
  const groups = [
    { ...plan.groups[0], name: "test", proposal: "evaluation", ...labeled("cat") },
    // The folder that they lie in, which is no class.
    { ...plan.groups[0], ...labeled("photos") },
  ];
  const said = shown(["cat"], true, { ...plan, labels, groups } as ImportPlan);
  expect(said).toContain("column label: no image for the pool has a label that is a class; eval");
  const asked = () => screen.queryByLabelText(/^The folder, or the column label/);
  expect(asked()).toBeNull();
  fireEvent.change(screen.getByLabelText("What becomes of test"), { target: { value: "pool" } });
  expect(asked()).not.toBeNull();
});

it("reads the column that is ticked as what is true, where no other says it", async () => {
  const column = { chosen: false, stated: false, readable: 0, unreadable: 41, values: ["no"] };
  const labels = [
    { ...column, column: "lang" },
    { ...column, column: "spam" },
  ];
  const unlabeled = { labels: [], unlabeled: 41 };
  const groups = [
    { ...plan.groups[0], name: "test", proposal: "evaluation", ...unlabeled },
    { ...plan.groups[0], name: "train", ...unlabeled },
  ];
  const asked: unknown[] = [];
  vi.spyOn(globalThis, "fetch").mockImplementation(async (request) => {
    asked.push(await (request as Request).json());
    return Response.json({ id: 4 });
  });
  const given = { ...plan, labels, groups, columns: { text: "body" } } as unknown as ImportPlan;
  expect(shown([], true, given)).toContain("Tick the column of their labels below");
  fireEvent.click(screen.getByLabelText("spam"));
  await vi.waitFor(() => expect(asked).toHaveLength(1));
  expect(asked[0]).toMatchObject({
    label_column: "spam",
    annotation_columns: ["spam"],
    dry_run: true,
  });
  vi.restoreAllMocks();
});

it.each([
  ["row 1234", "row 1,234"],
  ["Where is my order?", "Where is my order?"],
  ["cat/1.png", "cat/1.png"],
])("calls the first by its row, by how it begins or by its name: %s", (example, said) => {
  const groups = plan.groups.map((group) => ({ ...group, examples: [example] }));
  expect(shown(["Delivery"], true, { ...plan, groups })).toContain(said);
});

it("asks whether labels are what a model predicts, and tells what it predicts", () => {
  shown([]);
  expect(screen.getByLabelText(/predictions of a model/)).toBeTruthy();
  cleanup();
  const left_aside = { "a prediction is left aside: it has no width": 2 };
  const predictions = [{ model: "v8", readable: 40, left_aside }];
  const text = shown([], true, { ...plan, labels: [], predictions, predictions_of: "v8" });
  expect(text).toContain("v8 predicts something of 40 images");
  expect(text).toContain("2 × a prediction is left aside: it has no width");
  expect(screen.queryByLabelText(/predictions of a model/)).toBeNull();
});
