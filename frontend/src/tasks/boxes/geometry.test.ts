import { describe, expect, it } from "vitest";
import {
  clipped,
  doubtOf,
  HANDLES,
  moved,
  type Point,
  pulled,
  type Rect,
  rectToScreen,
  snapped,
  toImage,
  toScreen,
  type View,
} from "./geometry";
import { betweenViews, closeTo, fitted, panned, scales, zoomed } from "./view";

/** Numbers that are the same with each run. */
function numbers(seed: number) {
  let state = seed;
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  return { next, in: (from: number, to: number) => from + (to - from) * next() };
}

const IMAGES = [
  { width: 640, height: 480 },
  { width: 8192, height: 6144 },
  { width: 24, height: 900 },
];
const FRAME = { width: 1012, height: 633 };
const SEEDS = Array.from({ length: 40 }, (_, index) => index + 1);

/** Any sequence of what changes the view, and the views on the way. */
function* views(seed: number): Generator<[View, (typeof IMAGES)[number]]> {
  const random = numbers(seed);
  const image = IMAGES[seed % IMAGES.length] ?? { width: 1, height: 1 };
  let view = fitted(image, FRAME);
  for (let step = 0; step < 60; step += 1) {
    const at = { x: random.in(0, FRAME.width), y: random.in(0, FRAME.height) };
    const by = { x: random.in(-400, 400), y: random.in(-400, 400) };
    const rect = { x: at.x, y: at.y, w: random.in(0.5, 90), h: random.in(0.5, 90) };
    const kind = Math.floor(random.in(0, 5));
    const before = view;
    if (kind === 0) view = zoomed(view, Math.exp(random.in(-1.5, 1.5)), at, image, FRAME);
    else if (kind === 1) view = panned(view, by, image, FRAME);
    else if (kind === 2) view = closeTo(rect, view, image, FRAME);
    else if (kind === 3) view = betweenViews(before, fitted(image, FRAME), random.next(), FRAME);
    else view = fitted(image, FRAME);
    yield [view, image];
  }
}

describe("looking at an image", () => {
  it.each(SEEDS)("changes no box, whatever is done in whatever order (%i)", (seed) => {
    const random = numbers(seed);
    const boxes = Array.from({ length: 20 }, () => ({
      x: random.in(-50, 8000),
      y: random.in(-50, 6000),
      w: random.in(0.1, 900),
      h: random.in(0.1, 900),
    }));
    const before = structuredClone(boxes);
    for (const [view] of views(seed)) for (const box of boxes) rectToScreen(box, view);
    expect(boxes).toEqual(before);
  });

  it.each(SEEDS)("shows a point where it is found again within a millionth (%i)", (seed) => {
    const random = numbers(seed + 1000);
    for (const [view, image] of views(seed)) {
      const at = { x: random.in(0, FRAME.width), y: random.in(0, FRAME.height) };
      const back = toScreen(toImage(at, view), view);
      expect(Math.abs(back.x - at.x)).toBeLessThan(1e-6);
      expect(Math.abs(back.y - at.y)).toBeLessThan(1e-6);
      const place = { x: random.in(0, image.width), y: random.in(0, image.height) };
      const there = toImage(toScreen(place, view), view);
      expect(Math.abs(there.x - place.x)).toBeLessThan(1e-6);
      expect(Math.abs(there.y - place.y)).toBeLessThan(1e-6);
    }
  });

  it.each(SEEDS)("never loses the image, nor enlarges it without end (%i)", (seed) => {
    for (const [view, image] of views(seed)) {
      const [least, most] = scales(image, FRAME);
      expect(view.k).toBeGreaterThanOrEqual(least * 0.999);
      expect(view.k).toBeLessThanOrEqual(most * 1.001);
      expect(view.x).toBeLessThan(FRAME.width);
      expect(view.x + image.width * view.k).toBeGreaterThan(0);
    }
  });

  it("keeps what is under the pointer there", () => {
    const image = { width: 640, height: 480 };
    const at = { x: 500, y: 300 };
    const before = zoomed(fitted(image, FRAME), 4, at, image, FRAME);
    const after = zoomed(before, 1.7, at, image, FRAME);
    expect(toImage(at, after).x).toBeCloseTo(toImage(at, before).x);
    expect(toImage(at, after).y).toBeCloseTo(toImage(at, before).y);
  });

  it("comes close to a small box and leaves alone what can be read already", () => {
    const image = { width: 8192, height: 6144 };
    const whole = fitted(image, FRAME);
    const small = { x: 7000, y: 100, w: 40, h: 30 };
    const close = closeTo(small, whole, image, FRAME);
    expect(rectToScreen(small, close).w).toBeGreaterThan(150);
    expect(closeTo(small, close, image, FRAME)).toBe(close);
  });
});

describe("pulling a box", () => {
  const box = { x: 10.1, y: 20.2, w: 30.3, h: 40.4, class_id: 3 };

  it.each(HANDLES)("leaves the sides that are not pulled to the last bit (%o)", (handle) => {
    const next = pulled(box, handle, { x: 1.7, y: -2.3 });
    if (handle.dx === 0) expect([next.x, next.w]).toEqual([box.x, box.w]);
    if (handle.dx === 1) expect(next.x).toBe(box.x);
    if (handle.dy === 0) expect([next.y, next.h]).toEqual([box.y, box.h]);
    if (handle.dy === 1) expect(next.y).toBe(box.y);
    expect(next.class_id).toBe(3);
  });

  it("past its other side turns it over", () => {
    expect(pulled({ x: 10, y: 10, w: 5, h: 5 }, { dx: 1, dy: 0 }, { x: -12, y: 0 })).toEqual({
      x: 3,
      y: 10,
      w: 7,
      h: 5,
    });
  });

  it("moves all of it alike", () => {
    expect(moved(box, { x: 1, y: -1 })).toMatchObject({ w: box.w, h: box.h });
  });
});

describe("the edge of the image", () => {
  const image = { width: 100, height: 80 };
  const at = (x: number, y: number, w: number, h: number): Rect => ({ x, y, w, h });

  it("takes sides that nearly touch it, exactly, and no others", () => {
    expect(snapped(at(-1.5, 10, 40, 69), image, 2)).toEqual(at(0, 10, 38.5, 70));
    const inside = at(5, 5, 20.1, 20.1);
    expect(snapped(inside, image, 2)).toEqual(inside);
  });

  it("cuts boxes off only where that is asked, and leaves those within as they are", () => {
    expect(clipped(at(-10, -10, 30, 30), image)).toEqual(at(0, 0, 20, 20));
    const inside = at(1.1, 2.2, 3.3, 4.4);
    expect(clipped(inside, image)).toBe(inside);
    expect(clipped(at(100, 10, 5, 5), image)).toBeNull();
  });

  it.each<[string | null, Rect]>([
    [null, at(10, 10, 20, 20)],
    [null, at(-10, -10, 20, 20)],
    ["outside", at(100, 0, 10, 10)],
    ["outside", at(-10, 0, 10, 10)],
    ["too_small", at(10, 10, 0.5, 20)],
    ["small", at(10, 10, 2, 20)],
  ])("says %s of a box", (doubt, rect) => {
    expect(doubtOf(rect, image)).toBe(doubt);
  });

  it("doubts no box of a pixel where images have few", () => {
    const point: Point & { w: number; h: number } = { x: 3, y: 3, w: 1, h: 1 };
    expect(doubtOf(point, { width: 16, height: 16 })).toBeNull();
  });
});
