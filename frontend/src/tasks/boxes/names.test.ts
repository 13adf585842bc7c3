import { expect, it } from "vitest";
import { overlap, type Rect } from "./geometry";
import { NAME_HEIGHT, placeOf } from "./names";

const FRAME = { width: 400, height: 300 };

it("writes a name above its box", () => {
  const box = { x: 50, y: 60, w: 100, h: 80 };
  expect(placeOf(box, 60, FRAME, [])).toEqual({ x: 49, y: 44, w: 60, h: NAME_HEIGHT });
});

it("lays the names of boxes within boxes upon none of each other", () => {
  const boxes = [
    { x: 50, y: 60, w: 200, h: 180 },
    { x: 50, y: 62, w: 198, h: 170 },
    { x: 52, y: 64, w: 190, h: 160 },
    { x: 51, y: 61, w: 80, h: 90 },
  ];
  const taken: Rect[] = [];
  for (const box of boxes) {
    const place = placeOf(box, 60, FRAME, taken);
    if (place) taken.push(place);
  }
  expect(taken).toHaveLength(4);
  const clashes = taken.flatMap((a, i) => taken.slice(i + 1).filter((b) => overlap(a, b)));
  expect(clashes).toEqual([]);
});

it("keeps a name on the stage where the box reaches beyond it", () => {
  const place = placeOf({ x: -40, y: -30, w: 300, h: 200 }, 60, FRAME, []);
  expect(place).toMatchObject({ x: 0, y: 0 });
});
