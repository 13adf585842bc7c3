import { expect, it } from "vitest";
import type { ImportPlan, PlannedGroup } from "../../api/types";
import {
  type Chosen,
  chosenOf,
  lostToEvaluation,
  newClasses,
  proposedClasses,
  sumsOf,
  withListed,
} from "./plan";

function group(name: string | null, more: Partial<PlannedGroup>): PlannedGroup {
  const proposal = name === null ? "pool" : (name as PlannedGroup["proposal"]);
  const nothing = { reason: null, may_be_class: false, unlabeled: 0, labels: [], examples: [] };
  return { name, proposal, count: 0, ...nothing, ...more };
}

const label = (name: string, count: number, known = false) => ({ name, count, known });

const plan: ImportPlan = {
  total: 40,
  rows: 0,
  split: "pool",
  documents: [],
  labels: [
    { column: "label", chosen: true, stated: false, readable: 4, unreadable: 0, values: ["cat"] },
    { column: "COCO", chosen: true, stated: true, readable: 4, unreadable: 0, values: ["cat"] },
    { column: "site", chosen: false, stated: false, readable: 0, unreadable: 4, values: ["A"] },
  ],
  bad_by_reason: { "not an image by its name (.txt)": 2, "its path leads out": 1 },
  groups: [
    group("pool", { count: 20, labels: [label("cat", 10, true), label("dog", 10)] }),
    group("evaluation", {
      count: 10,
      unlabeled: 1,
      labels: [label("cat", 4, true), label("dog", 5)],
    }),
    group("samples", {
      proposal: "leave_out",
      count: 4,
      labels: [label("ood", 1), label("ant", 3)],
    }),
    group(null, { count: 3, unlabeled: 3 }),
  ],
};

const chosen: Chosen = chosenOf(plan);

it("sends only columns that are not stated anyway", () => {
  expect(chosen.columns).toEqual(["label"]);
});

it("counts what goes where as the server does", () => {
  const sums = { pool: 23, evaluation: 4, auxiliary_ood: 0, left_out: 4, refused: 9 };
  expect(sumsOf(plan, chosen, new Set())).toEqual(sums);
  expect(lostToEvaluation(plan, chosen, new Set())).toBe(sums.refused - 3);
  const more = { ...sums, evaluation: 9, refused: 4 };
  expect(sumsOf(plan, chosen, new Set(["dog"]))).toEqual(more);
});

it.each<[Partial<Chosen>, Partial<ReturnType<typeof sumsOf>>]>([
  [{ folders: { samples: "pool" } }, { pool: 27, left_out: 0 }],
  [
    { folders: { samples: "class" }, split: "auxiliary_ood" },
    { pool: 20, auxiliary_ood: 7 },
  ],
  [{ folders: { pool: "leave_out" } }, { pool: 3, left_out: 24 }],
  [{ split: "evaluation" }, { pool: 20, evaluation: 4, refused: 12 }],
])("follows the choice %o", (choice, right) => {
  expect(sumsOf(plan, { ...chosen, ...choice }, new Set())).toMatchObject(right);
});

it("offers as classes what comes in and is none yet", () => {
  expect([...newClasses(plan, chosen, new Set())]).toEqual([["dog", 15]]);
  expect(newClasses(plan, chosen, new Set(["dog"])).size).toBe(0);
  const all = { ...chosen, folders: { samples: "pool" as const } };
  expect([...newClasses(plan, all, new Set()).keys()]).toEqual(["ant", "dog"]);
  const beside = { ...chosen, folders: { samples: "auxiliary_ood" as const } };
  expect([...newClasses(plan, beside, new Set()).keys()]).toEqual(["dog"]);
});

it("offers classes in the order of the list in what was sent, with those that nothing is of", () => {
  const labels = [label("ant", 1), label("Dog", 2), label("cat", 3), label("bee", 4)];
  const class_names = ["dog", "frog", "ood", "Frog", "cat"];
  const listed = { ...plan, groups: [group(null, { count: 10, labels })], class_names };
  const found = newClasses(listed, chosen, new Set());
  expect([...found.keys()]).toEqual(["Dog", "cat", "ant", "bee"]);
  expect([...withListed(listed, found)]).toEqual([
    ["Dog", 2],
    ["frog", 0],
    ["cat", 3],
    ["ant", 1],
    ["bee", 4],
  ]);
  // More than a project may have.
  const many = { ...listed, class_names: Array.from({ length: 998 }, (_, n) => `${n}`) };
  expect(withListed(many, found)).toBe(found);
});

it("takes names for classes as the server does, however they are written", () => {
  const labels = [label("insect_or_spider", 3), label("Insect-Or-Spider", 2), label("A-", 1)];
  const folders = { ...plan, groups: [group("evaluation", { count: 6, labels })] };
  const found = newClasses(folders, chosen, new Set(["A"]));
  expect([...found]).toEqual([
    ["A-", 1],
    ["insect_or_spider", 5],
  ]);
  const classes = new Set(["insect or spider", "A"]);
  expect([...newClasses(folders, chosen, classes)]).toEqual([["A-", 1]]);
  expect(sumsOf(folders, chosen, classes).evaluation).toBe(5);
  // Nobody knows which of the two is meant.
  const both = new Set(["insect or spider", "insect-or spider"]);
  expect(sumsOf(folders, chosen, both).evaluation).toBe(0);
});

it("does not propose as a class the one folder that holds all images to be labeled", () => {
  const proposed = (...groups: PlannedGroup[]) => {
    const folders = { ...plan, groups };
    return proposedClasses(folders, chosen, newClasses(folders, chosen, new Set()));
  };
  const photos = (...labels: PlannedGroup["labels"]) => group(null, { count: 9, labels });
  const judged = group("evaluation", { count: 4, labels: [label("cat", 2), label("dog", 2)] });
  expect(proposed(photos(label("mine", 9)), judged)).toEqual(["cat", "dog"]);
  expect(proposed(photos(label("mine", 9)))).toEqual([]);
  // Boxes of one class.
  const boxes = { ...plan, groups: [photos(label("car", 9))] };
  expect(proposedClasses(boxes, chosen, newClasses(boxes, chosen, new Set()), true)).toEqual([
    "car",
  ]);
  // A project of one class, or folders for classes.
  expect(proposed(photos(label("cat", 9)), judged)).toEqual(["cat", "dog"]);
  expect(proposed(photos(label("cat", 5), label("mine", 4)), judged)).toEqual([
    "cat",
    "dog",
    "mine",
  ]);
});

it("sends what it shows of values that nobody knows, and not of what is shown as one", () => {
  const unknown = { proposal: "leave_out", reason: "unknown split" } as const;
  const many: ImportPlan = {
    ...plan,
    bad_by_reason: {},
    groups: [
      group("x", { ...unknown, count: 5 }),
      group("docs", { ...unknown, may_be_class: true, count: 1 }),
      group("…", { ...unknown, fixed: "refused", count: 50 }),
      group("…", { ...unknown, fixed: "left_out", count: 7, labels: [label("ant", 7)] }),
      group("…", {
        proposal: "evaluation",
        fixed: "evaluation",
        count: 4,
        labels: [label("cat", 3, true)],
      }),
    ],
  };
  const first = chosenOf(many);
  expect(first.folders).toEqual({ x: "leave_out" });
  const sums = { pool: 0, evaluation: 3, auxiliary_ood: 0, left_out: 13, refused: 51 };
  expect(sumsOf(many, first, new Set())).toEqual(sums);
  const named = { ...first, folders: { ...first.folders, "…": "pool" as const } };
  expect(sumsOf(many, named, new Set())).toEqual(sums);
  expect(newClasses(many, first, new Set()).size).toBe(0);
});

it("counts images with boxes by all of their classes, and those with nothing in them", () => {
  // Of ten one is unlabeled, and some of the others have both, or nothing.
  const labels = [label("car", 6, true), label("bus", 3)];
  const boxes = {
    ...plan,
    bad_by_reason: {},
    groups: [group("evaluation", { count: 10, unlabeled: 1, labels })],
  };
  expect(sumsOf(boxes, chosen, new Set(), true)).toMatchObject({ evaluation: 6, refused: 4 });
  expect(sumsOf(boxes, chosen, new Set(["bus"]), true)).toMatchObject({
    evaluation: 9,
    refused: 1,
  });
  expect(lostToEvaluation(boxes, chosen, new Set(["bus"]), true)).toBe(1);
});
