import { expect, it } from "vitest";
import { ticks } from "./scale";

it("covers the range with round numbers", () => {
  expect(ticks(0, 1)).toEqual([0, 0.2, 0.4, 0.6, 0.8, 1]);
  expect(ticks(0.62, 0.91)).toEqual([0.6, 0.7, 0.8, 0.9, 1]);
  expect(ticks(0, 100)).toEqual([0, 20, 40, 60, 80, 100]);
});

it("copes with a range of one value", () => {
  const values = ticks(0.5, 0.5);
  expect(values.length).toBeGreaterThan(0);
  expect(values.every(Number.isFinite)).toBe(true);
});
