import { expect, it } from "vitest";
import type { Surface } from "../../api/types";
import { blend, regions, resample, thresholdsOf } from "./contours";

/** purity + 2 informativeness on uneven nodes. */
const purity = [0, 1, 1.5, 4];
const informativeness = [-1, 0, 3];
const plane: Surface = {
  name: "sum",
  exact: true,
  purity,
  informativeness,
  values: informativeness.map((y) => purity.map((x) => x + 2 * y)),
  level: 3,
};

it("reads a plane exactly between uneven nodes", () => {
  const { side, box, values } = resample(plane);
  expect(box).toEqual({ x0: 0, x1: 4, y0: -1, y1: 3 });
  for (const [row, column] of [
    [0, 0],
    [20, 41],
    [63, 63],
  ] as const) {
    const x = (4 * column) / (side - 1);
    const y = -1 + (4 * row) / (side - 1);
    expect(values[row * side + column]).toBeCloseTo(x + 2 * y);
  }
});

it("draws a contour where the surface has its level", () => {
  const [rings = []] = regions(resample(plane), [3]);
  const inner = rings.flat().filter(([x, y]) => x > 0.05 && x < 3.95 && y > -0.95 && y < 2.95);
  expect(inner.length).toBeGreaterThan(20);
  for (const [x, y] of inner) expect(x + 2 * y).toBeCloseTo(3, 1);
});

it("goes over from one surface into another", () => {
  const from = resample(plane);
  const to = resample({ ...plane, values: plane.values.map((row) => row.map(() => 10)) });
  const half = blend(from, to, 0.5);
  expect(half.values[0]).toBeCloseTo(((from.values[0] ?? 0) + 10) / 2);
  expect(blend(from, to, 1).values[77]).toBeCloseTo(10);
});

it("spaces thresholds by how common a value is, each once", () => {
  const found = thresholdsOf(plane, 5);
  expect(found).toEqual([...found].sort((a, b) => a - b));
  const flat = { ...plane, values: [[1, 1, 1, 1]] };
  expect(thresholdsOf(flat)).toEqual([1]);
});
