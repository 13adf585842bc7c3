import { expect, it } from "vitest";
import { areaOf, decode, encode, simplify } from "./lasso";

const circle = Array.from({ length: 600 }, (_, step) => ({
  x: 200 + 100 * Math.cos((2 * Math.PI * step) / 600),
  y: 200 + 100 * Math.sin((2 * Math.PI * step) / 600),
}));

it("keeps the shape of a long outline with few corners", () => {
  const few = simplify(circle);
  expect(few.length).toBeLessThanOrEqual(48);
  expect(areaOf(few) / areaOf(circle)).toBeGreaterThan(0.96);
});

it("drops what lies on a line and keeps the corners", () => {
  const square = [0, 25, 50, 75, 100].flatMap((x) => [{ x, y: 0 }]);
  const outline = [...square, { x: 100, y: 100 }, { x: 0, y: 100 }];
  expect(simplify(outline)).toEqual([
    { x: 0, y: 0 },
    { x: 100, y: 0 },
    { x: 100, y: 100 },
    { x: 0, y: 100 },
  ]);
});

it("stands in an address and is read again", () => {
  const outline = [
    { x: 0.1234567, y: -5 },
    { x: 1e-7, y: 3e5 },
    { x: 2, y: 2 },
  ];
  expect(decode(encode(outline))).toEqual([
    { x: 0.123457, y: -5 },
    { x: 1e-7, y: 3e5 },
    outline[2],
  ]);
});

it.each([null, "", "1,2;3,4", "1,2;3,4;x,5", "1,2,3;4,5;6,7"])(
  "takes %j for no outline",
  (text) => {
    expect(decode(text)).toBeNull();
  },
);
