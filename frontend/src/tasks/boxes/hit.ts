import {
  contains,
  HANDLES,
  type Handle,
  type Point,
  type Rect,
  rectToScreen,
  type View,
} from "./geometry";

/** How near a pointer has to be to an edge or a handle, in pixels of the screen. */
export const REACH = { mouse: 7, touch: 22 } as const;
export type Reach = keyof typeof REACH;

/** What has a place in the order of boxes. */
export type Placed = { key: string; rect: Rect };

/**
 * Everything under a point, the smallest first: what lies inside another must be within reach.
 *
 * @param at In pixels of the image.
 * @param margin How far outside it still counts, likewise.
 */
export function under(at: Point, all: readonly Placed[], margin: number): Placed[] {
  const area = ({ rect }: Placed) => rect.w * rect.h;
  return all.filter(({ rect }) => contains(rect, at, margin)).sort((a, b) => area(a) - area(b));
}

/** What a click chooses: the next of those under it, if the first is chosen already. */
export function chosenBy(found: readonly Placed[], chosen: string | null): Placed | null {
  const at = found.findIndex(({ key }) => key === chosen);
  return found[(at + 1) % Math.max(1, found.length)] ?? null;
}

/** Where the handles of a box are, on the screen. */
export function handlePoint(handle: Handle, screen: Rect): Point {
  return {
    x: screen.x + (screen.w * (handle.dx + 1)) / 2,
    y: screen.y + (screen.h * (handle.dy + 1)) / 2,
  };
}

/** Sides are as good as their handles where there is room for both. */
const ROOM_FOR_SIDES = 3;

/**
 * The handle of a box under a point of the screen, corners before sides; "move" for its grip.
 *
 * A box that is too small for its handles is held at its corners alone, so that it can be held at all.
 */
export function handleAt(point: Point, rect: Rect, view: View, reach: number): Handle | null {
  const screen = rectToScreen(rect, view);
  const hasRoom = Math.min(screen.w, screen.h) > ROOM_FOR_SIDES * reach;
  const near = HANDLES.filter(({ dx, dy }) => hasRoom || (dx !== 0 && dy !== 0))
    .map((handle) => {
      const at = handlePoint(handle, screen);
      return { handle, away: Math.hypot(point.x - at.x, point.y - at.y) };
    })
    .filter(({ away }) => away <= reach)
    .sort((a, b) => a.away - b.away);
  if (near[0]) return near[0].handle;
  return hasRoom ? sideAt(point, screen, reach / 2) : null;
}

function sideAt(point: Point, screen: Rect, reach: number): Handle | null {
  if (!contains(screen, point, reach)) return null;
  const right = screen.x + screen.w;
  const bottom = screen.y + screen.h;
  const is = (value: number, at: number) => Math.abs(value - at) <= reach;
  if (is(point.x, screen.x)) return { dx: -1, dy: 0 };
  if (is(point.x, right)) return { dx: 1, dy: 0 };
  if (is(point.y, screen.y)) return { dx: 0, dy: -1 };
  return is(point.y, bottom) ? { dx: 0, dy: 1 } : null;
}

/** The order in which Tab goes through boxes: by rows from the top, so that the eye travels little. */
export function inReadingOrder<P extends Placed>(all: readonly P[], imageHeight: number): P[] {
  const row = ({ rect }: P) => Math.floor((8 * (rect.y + rect.h / 2)) / Math.max(1, imageHeight));
  const middle = ({ rect }: P) => rect.x + rect.w / 2;
  return [...all].sort((a, b) => row(a) - row(b) || middle(a) - middle(b));
}

/** The one after (1) or before (-1) what is chosen, round and round. */
export function nextOf<P extends Placed>(
  ordered: readonly P[],
  chosen: string | null,
  by: 1 | -1,
): P | null {
  if (ordered.length === 0) return null;
  const at = ordered.findIndex(({ key }) => key === chosen);
  const next = at < 0 ? (by === 1 ? 0 : -1) : at + by;
  return ordered[(next + ordered.length) % ordered.length] ?? null;
}
