import { expect, test } from "vitest";
import type { Premise } from "../../api/results";
import { t } from "../../strings";
import { figuresOf, groupOf, meaningOf } from "./premise";

const { premise: text } = t.jobs.subset;
const told = (change: Partial<Premise>): Premise => ({
  by: "head",
  source: "truth",
  known: 900,
  labels: 0.2,
  relabeled: 0.83,
  bins: [],
  ...change,
});

test("a premise is said to hold, to fail, or to be unknown", () => {
  expect(meaningOf(told({}))).toBe(text.holds);
  expect(meaningOf(told({ relabeled: 0.1 }))).toBe(text.weak);
  expect(meaningOf(told({ relabeled: -0.7 }))).toBe(text.fails);
  expect(meaningOf(told({ relabeled: null }))).toBe(text.tooFew);
  expect(meaningOf(told({ by: "warm_up", source: "reviews" }))).toBe(text.learned);
  expect(meaningOf(told({ source: null, relabeled: null }))).toBe(text.unknown);
});

test("groups are numbered from one, and what nobody can tell is no figure", () => {
  const bin = { low: 0.1234, high: 0.5, count: 3, known: 0, labels_right: null };
  expect(groupOf({ ...bin, relabeled_right: null }, 0)).toBe(text.group(1, "0.12", "0.5"));
  const values = figuresOf(told({ labels: null })).map(([, value]) => value);
  expect(values).toEqual(["0.83", "–", "900"]);
});
