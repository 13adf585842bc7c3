import { expect, it } from "vitest";
import type { ImportPlan, PlannedColumn, PlannedGroup } from "../../../api/types";
import { labelsOf } from "./labels";

const group = (given: Partial<PlannedGroup>): PlannedGroup => ({
  name: null,
  proposal: "pool",
  reason: null,
  may_be_class: false,
  count: 0,
  unlabeled: 0,
  labels: [],
  examples: [],
  ...given,
});

const label = (name: string, count: number) => ({ name, count, known: false });

const stated = (values: string[]): PlannedColumn => ({
  column: "coco",
  chosen: true,
  stated: true,
  readable: 0,
  unreadable: 0,
  values,
});

const plan = (groups: PlannedGroup[], more: Partial<ImportPlan> = {}): ImportPlan => ({
  total: 0,
  rows: 0,
  split: "pool",
  groups,
  labels: [],
  documents: [],
  bad_by_reason: {},
  ...more,
});

it("takes folders for classes, of all splits, and judges the labels of test images too", () => {
  const found = labelsOf(
    plan([
      group({ name: "train", labels: [label("dog", 5), label("cat", 1)] }),
      group({ name: "test", proposal: "evaluation", labels: [label("cat", 1)] }),
    ]),
  );
  expect(found.classes).toEqual(["cat", "dog"]);
  expect(found.folders).toEqual({ test: "pool" });
  expect(found.columns).toEqual(["label"]);
});

it("makes no class of one image, nor of what belongs to none", () => {
  const labels = [label("ood", 9), label("dgo", 1), label("10", 4), label("9", 4)];
  const found = labelsOf(plan([group({ labels })]));
  expect(found.classes).toEqual(["9", "10"]);
  expect(found.single).toEqual(["dgo"]);
});

it("keeps the order in which a document lists its classes", () => {
  const labels = [label("ant", 2), label("dog", 2), label("cat", 2)];
  const found = labelsOf(plan([group({ labels })], { class_names: ["dog", "cow", "cat"] }));
  expect(found.classes).toEqual(["dog", "cat", "ant"]);
});

it("counts nothing of what is left out", () => {
  const out = group({ name: "valid", proposal: "leave_out", reason: "?", labels: [label("a", 3)] });
  const found = labelsOf(plan([out, group({ labels: [label("b", 3)] })]));
  expect(found.classes).toEqual(["b"]);
  expect(found.folders).toEqual({ valid: "leave_out" });
});

it("reads the column of a Parquet file, and no column beside a document", () => {
  const labels = [label("a", 3), label("b", 3)];
  const parquet = plan([group({ labels })], { columns: { label: "class_name" } });
  expect(labelsOf(parquet).columns).toEqual(["class_name"]);
  const coco = labelsOf(plan([group({})], { labels: [stated(["cat", "dog"])] }));
  expect(coco).toMatchObject({ classes: ["cat", "dog"], columns: [], isCut: false });
});

it("says when a document names more classes than are shown", () => {
  const many = labelsOf(plan([group({})], { labels: [stated(["a", "b", "c", "d", "e"])] }));
  expect(many.isCut).toBe(true);
});
