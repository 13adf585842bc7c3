import { expect, it } from "vitest";
import { around, linesUp, scaleOf, seen, toPixel, toPlane, WHOLE } from "./plane";

const box = { x0: -1, x1: 3, y0: 10, y1: 20 };
const size = { width: 400, height: 200 };

it("puts the corners of the plane in the corners of the frame, y upwards", () => {
  const scale = scaleOf(box, size, WHOLE);
  expect(toPixel(scale, { x: -1, y: 20 })).toEqual({ x: 0, y: 0 });
  expect(toPixel(scale, { x: 3, y: 10 })).toEqual({ x: 400, y: 200 });
});

it("finds its way back from any view", () => {
  const scale = scaleOf(box, size, { k: 7, x: -321, y: 55 });
  const back = toPlane(scale, toPixel(scale, { x: 0.4, y: 12.5 }));
  expect(back.x).toBeCloseTo(0.4);
  expect(back.y).toBeCloseTo(12.5);
});

it("zooms about the origin of the view", () => {
  const view = seen(scaleOf(box, size, { k: 2, x: 0, y: 0 }), size);
  expect(view).toEqual({ x0: -1, x1: 1, y0: 15, y1: 20 });
});

it("holds all rounds in one plane, and one that has no range", () => {
  const span = (low: number, high: number) => ({ low, high });
  const both = around([
    { x: span(0, 1), y: span(2, 3) },
    { x: span(-9, 0.5), y: span(2, 8) },
  ]);
  expect(both?.x0).toBeLessThan(-9);
  expect(both?.x1).toBeGreaterThan(1);
  expect(both?.y1).toBeGreaterThan(8);
  const flat = around([{ x: span(4, 4), y: span(0, 0) }]);
  expect(flat && flat.x1 > flat.x0 && flat.y1 > flat.y0).toBe(true);
  const rounded = around([{ x: span(0, 1), y: span(0.1818181723356247, 0.18181821703910828) }]);
  expect([rounded?.y0, rounded?.y1]).toEqual([expect.closeTo(-0.318, 3), expect.closeTo(0.682, 3)]);
  expect(around([])).toBeNull();
});

it("says on which axes images lie on a line beside those of other rounds", () => {
  const span = (low: number, high: number) => ({ low, high });
  const first = { x: span(0.7789, 0.7791), y: span(0, 1) };
  const other = { x: span(0, 1), y: span(0, 0.95) };
  expect(linesUp(first, [first, other])).toEqual(["x"]);
  expect(linesUp(other, [first, other])).toEqual([]);
  // Alone, it fills its axes.
  expect(linesUp(first, [first])).toEqual([]);
  const same = { x: span(1, 1), y: span(2, 3) };
  expect(linesUp(same, [same])).toEqual(["x"]);
});
