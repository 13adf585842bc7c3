/** A rectangle in pixels of the image: its top left corner, and how far it reaches. */
export type Rect = { x: number; y: number; w: number; h: number };
export type Point = { x: number; y: number };
export type Size = { width: number; height: number };

/** How the image is drawn: `k` pixels of the screen for one of its own, its corner at (x, y). */
export type View = { k: number; x: number; y: number };

/** A side or corner of a box: -1 is left or top, 1 right or bottom, 0 neither. */
export type Handle = { dx: -1 | 0 | 1; dy: -1 | 0 | 1 };

export const HANDLES: readonly Handle[] = [
  { dx: -1, dy: -1 },
  { dx: 0, dy: -1 },
  { dx: 1, dy: -1 },
  { dx: 1, dy: 0 },
  { dx: 1, dy: 1 },
  { dx: 0, dy: 1 },
  { dx: -1, dy: 1 },
  { dx: -1, dy: 0 },
];

export const toScreen = (point: Point, view: View): Point => ({
  x: point.x * view.k + view.x,
  y: point.y * view.k + view.y,
});

export const toImage = (point: Point, view: View): Point => ({
  x: (point.x - view.x) / view.k,
  y: (point.y - view.y) / view.k,
});

export const rectToScreen = (rect: Rect, view: View): Rect => ({
  ...toScreen(rect, view),
  w: rect.w * view.k,
  h: rect.h * view.k,
});

/** The rectangle between two points, whichever comes first. */
export const between = (a: Point, b: Point): Rect => ({
  x: Math.min(a.x, b.x),
  y: Math.min(a.y, b.y),
  w: Math.abs(a.x - b.x),
  h: Math.abs(a.y - b.y),
});

export const moved = <R extends Rect>(rect: R, by: Point): R => ({
  ...rect,
  x: rect.x + by.x,
  y: rect.y + by.y,
});

/**
 * A box with one side or corner pulled.
 *
 * Where it is pulled past the other side the two change places, as people expect of a rubber band. Sides
 * that are not pulled keep their numbers, to the last bit.
 */
export function pulled<R extends Rect>(rect: R, handle: Handle, by: Point): R {
  const [x, w] = pulledAlong(rect.x, rect.w, handle.dx, by.x);
  const [y, h] = pulledAlong(rect.y, rect.h, handle.dy, by.y);
  return { ...rect, x, y, w, h };
}

function pulledAlong(start: number, length: number, side: -1 | 0 | 1, by: number) {
  if (side === 0 || by === 0) return [start, length] as const;
  const end = start + length;
  const [a, b] = side < 0 ? [start + by, end] : [start, end + by];
  return a <= b ? ([a, b - a] as const) : ([b, a - b] as const);
}

/** A box with sides that nearly touch the image's laid upon them; others stay as they are. */
export function snapped<R extends Rect>(rect: R, image: Size, within: number): R {
  const [x, w] = snappedAlong(rect.x, rect.w, image.width, within);
  const [y, h] = snappedAlong(rect.y, rect.h, image.height, within);
  return { ...rect, x, y, w, h };
}

function snappedAlong(start: number, length: number, side: number, within: number) {
  const near = (value: number, to: number) => Math.abs(value - to) <= within;
  const end = start + length;
  const [a, b] = [near(start, 0) ? 0 : start, near(end, side) ? side : end];
  return a === start && b === end ? ([start, length] as const) : ([a, b - a] as const);
}

/** The part of a box that is on the image; null if there is none. */
export function clipped<R extends Rect>(rect: R, { width, height }: Size): R | null {
  const [x, y] = [Math.max(0, rect.x), Math.max(0, rect.y)];
  const w = Math.min(width, rect.x + rect.w) - x;
  const h = Math.min(height, rect.y + rect.h) - y;
  if (w <= 0 || h <= 0) return null;
  const inside = x === rect.x && y === rect.y && rect.x + rect.w <= width;
  return inside && rect.y + rect.h <= height ? rect : { ...rect, x, y, w, h };
}

/** Whether any of a box is on the image. */
export const touches = (rect: Rect, image: Size): boolean =>
  rect.x < image.width && rect.y < image.height && rect.x + rect.w > 0 && rect.y + rect.h > 0;

export const isWithin = (rect: Rect, image: Size): boolean => clipped(rect, image) === rect;

export const contains = (rect: Rect, { x, y }: Point, margin = 0): boolean =>
  x >= rect.x - margin &&
  y >= rect.y - margin &&
  x <= rect.x + rect.w + margin &&
  y <= rect.y + rect.h + margin;

export const overlap = (a: Rect, b: Rect): boolean =>
  a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;

export const isSameRect = (a: Rect, b: Rect): boolean =>
  a.x === b.x && a.y === b.y && a.w === b.w && a.h === b.h;

export const centreOf = (rect: Rect): Point => ({ x: rect.x + rect.w / 2, y: rect.y + rect.h / 2 });

/** Sides below this are smaller than most people mean, in pixels of the image. */
export const SMALL_SIDE = 4;
/** Nobody sees what is smaller than this. */
export const LEAST_SIDE = 1;

export type Doubt = "too_small" | "outside" | "small" | null;

/** What is wrong with a box, or may be. The first two cannot be kept. */
export function doubtOf(rect: Rect, image: Size): Doubt {
  if (!touches(rect, image)) return "outside";
  const side = Math.min(rect.w, rect.h);
  // Where images have few pixels themselves, so may boxes.
  const small = Math.min(
    SMALL_SIDE,
    Math.max(LEAST_SIDE, Math.min(image.width, image.height) / 32),
  );
  if (side < Math.min(LEAST_SIDE, small)) return "too_small";
  return side < small ? "small" : null;
}
