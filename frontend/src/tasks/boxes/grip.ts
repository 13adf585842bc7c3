import type { Point, Rect, Size } from "./geometry";

/** A box of this size on the screen has room for a grip in its middle. */
const ROOM = 64;
const BESIDE = 20;
const EDGE = 14;

/**
 * Where a box is taken hold of to move it, with a class in hand too; on the screen.
 *
 * In the middle where there is room. Beside a small box: its middle is for drawing what lies in it.
 */
export function gripOf({ x, y, w, h }: Rect, frame: Size): Point | null {
  if (x + w < 0 || y + h < 0 || x > frame.width || y > frame.height) return null;
  const middle = { x: x + w / 2, y: y + h / 2 };
  if (Math.min(w, h) >= ROOM) return middle;
  const below = y + h + BESIDE;
  const isBelow = below <= frame.height - EDGE;
  return { x: middle.x, y: isBelow ? below : y - BESIDE };
}
