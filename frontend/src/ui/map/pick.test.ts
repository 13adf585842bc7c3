import { expect, it } from "vitest";
import { Picker } from "./pick";
import { WHOLE } from "./plane";
import type { Points } from "./tiles";

const box = { x0: 0, x1: 10, y0: 0, y1: 10 };
const size = { width: 100, height: 100 };
const points: Points = {
  kind: "points",
  x: Float32Array.of(2, 2.1, 8),
  y: Float32Array.of(5, 5, 5),
  indices: Uint32Array.of(40, 41, 42),
};

it("finds the nearest image that is near enough", () => {
  const picker = new Picker([], points, box, size);
  expect(picker.at({ x: 20, y: 50 }, WHOLE, true)).toBe(40);
  expect(picker.at({ x: 78, y: 52 }, WHOLE, true)).toBe(42);
  expect(picker.at({ x: 50, y: 50 }, WHOLE, true)).toBeNull();
});

it("passes over what the legend hides", () => {
  const picker = new Picker([], { ...points, colours: Uint32Array.of(0, 9, 0) }, box, size);
  expect(picker.at({ x: 20, y: 50 }, WHOLE, true)).toBe(41);
  expect(picker.at({ x: 78, y: 52 }, WHOLE, true)).toBeNull();
});
