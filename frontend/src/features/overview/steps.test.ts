import { expect, it } from "vitest";
import type { Algorithm, Project } from "../../api/types";
import { beginsAtRandom, firstSteps, nextStep } from "./steps";

const NOTHING = {
  pool: 0,
  unlabeled: 0,
  queried: 0,
  labeled_in: 0,
  labeled_ood: 0,
  unsure: 0,
  held_out: 0,
  evaluation: 0,
  auxiliary_ood: 0,
};

function project(values: Partial<Project>, counts: Partial<Project["counts"]> = {}): Project {
  const task = "classification";
  const draft = { id: 7, task, state: "draft", classes: [], current_round: null, ...values };
  return { ...draft, counts: { ...NOTHING, ...counts } } as unknown as Project;
}

const round = (number: number) =>
  ({ number, state: "open", spent: 0, budget: 9, failed: false }) as const;
const classes = [{ id: 1, name: "bee" }] as Project["classes"];
const POOL = { pool: 9, unlabeled: 9 };

it.each([
  ["images", project({})],
  ["classes", project({}, POOL)],
  ["images", project({ classes })],
  // Accuracy may be measured later, and nothing waits for it.
  ["label", project({ classes }, POOL)],
  ["label", project({ classes, state: "running", current_round: round(0) }, POOL)],
  [
    "round",
    project(
      { classes, state: "running", current_round: round(0) },
      { ...POOL, unlabeled: 8, unsure: 1 },
    ),
  ],
])("says that %s comes next", (next, now) => {
  expect(nextStep(firstSteps(now))).toBe(next);
});

it("leads to labeling once it is started, and to the set-up before", () => {
  const label = (now: Project) => firstSteps(now).find(({ name }) => name === "label")?.to;
  expect(label(project({ classes }, POOL))).toBe("/projects/7/settings#start");
  const running = project({ classes, state: "running", current_round: round(0) }, POOL);
  expect(label(running)).toBe("/projects/7/label");
});

it("asks for no evaluation images where all of a class are to be found", () => {
  const names = (settings?: unknown) =>
    firstSteps(project({ settings: settings as Project["settings"] })).map(({ name }) => name);
  expect(names({ goal: "best_model" })).toContain("evaluation");
  expect(names({ goal: "find_all" })).toEqual(["images", "classes", "label", "round"]);
});

it("takes labels that came with the images for no answers", () => {
  const imported = project({ classes }, { pool: 9, unlabeled: 4, labeled_in: 5 });
  expect(firstSteps(imported).filter(({ done }) => done)).toHaveLength(2);
});

it("is done with instructions once rows are chosen, though nobody was asked", () => {
  const rows = project({ task: "instructions" }, POOL);
  expect(nextStep(firstSteps(rows))).toBe("choose");
  expect(firstSteps(rows, true)).toEqual([]);
});

it("ends by itself, and is none where nothing is to be asked", () => {
  const running = project({ classes, state: "running", current_round: round(1) }, POOL);
  expect(firstSteps(running)).toEqual([]);
  expect(firstSteps(project({ classes, state: "finished" }, POOL))).toEqual([]);
  expect(firstSteps(project({ classes }, { pool: 5, labeled_in: 5 }))).toEqual([]);
});

it("promises typical images only where there will be some", () => {
  const algorithms = [
    { kind: "model", name: "auto", needs: ["embeddings"], defaults: {} },
    { kind: "model", name: "timm", needs: [], defaults: { mode: "finetune" } },
  ] as unknown as Algorithm[];
  const begins = (settings: object, current: object = {}) =>
    beginsAtRandom(
      project({
        settings: { first_queue: "typical", ...settings } as Project["settings"],
        current_round: { ...round(0), ...current },
      }),
      algorithms,
    );
  const auto = { model: { name: "auto", params: {} } };
  expect(begins(auto)).toBe(false);
  expect(begins({ ...auto, first_queue: "random" })).toBe(true);
  expect(begins(auto, { failed: true })).toBe(true);
  expect(begins({ model: { name: "timm", params: {} } })).toBe(true);
  expect(begins({ model: { name: "timm", params: { mode: "frozen" } } })).toBe(false);
  // What is not known yet is promised as usual.
  expect(begins({ model: { name: "of_a_package", params: {} } })).toBe(false);
});

it("leads to no page to label at where there is none for the type of task", () => {
  const running = { classes, state: "running", current_round: round(0) } as const;
  const ways = (task: string) =>
    firstSteps(project({ ...running, task: task as Project["task"] }, POOL))
      .filter(({ name }) => name === "label" || name === "round")
      .map(({ to }) => to);
  expect(ways("classification")).toEqual(["/projects/7/label", "/projects/7/label"]);
  expect(ways("severity")).toEqual([null, null]);
});
