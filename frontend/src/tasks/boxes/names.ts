import { overlap, type Rect, type Size } from "./geometry";

/** A box on the screen, and what it is called. */
export type Named = {
  rect: Rect;
  colour: string;
  name: string;
  /** Suggested, and not decided on. */
  dashed: boolean;
  hovered: boolean;
};

/** Boxes below this width on the screen have no room for a name. */
const ROOM = 34;
const FONT = '600 11px "Geist", system-ui, sans-serif';
export const NAME_HEIGHT = 16;

/** Writes what each box is, the one under the pointer first: none over another. */
export function names(
  context: CanvasRenderingContext2D,
  items: readonly Named[],
  frame: Size,
): void {
  context.font = FONT;
  context.textBaseline = "middle";
  const taken: Rect[] = [];
  for (const item of [...items].sort((a, b) => Number(b.hovered) - Number(a.hovered))) {
    const { rect, hovered } = item;
    if (rect.w < ROOM && !hovered) continue;
    const most = Math.max(rect.w, hovered ? 400 : 0) - 10;
    const text = shortened(context, item.name, most);
    if (!text) continue;
    const place = placeOf(rect, context.measureText(text).width + 10, frame, taken);
    if (!place) continue;
    taken.push(place);
    write(context, item, text, place);
  }
}

/**
 * A place at a box for a name that is `width` wide: above its upper left corner, or else within it,
 * under it or at the other side, so that the names of boxes within boxes can all be read.
 */
export function placeOf(
  rect: Rect,
  width: number,
  frame: Size,
  taken: readonly Rect[],
): Rect | null {
  const [left, right] = [rect.x - 1, rect.x + rect.w + 1 - width];
  const [above, within] = [rect.y - NAME_HEIGHT, rect.y + 1];
  const [bottom, under] = [rect.y + rect.h - 1 - NAME_HEIGHT, rect.y + rect.h];
  const spots: [number, number][] = [
    [left, Math.max(0, above)],
    [left, within],
    [right, above],
    [right, within],
    [left, under],
    [left, bottom],
    [right, under],
  ];
  for (const [x, y] of spots) {
    const spot = { x: Math.max(0, x), y, w: width, h: NAME_HEIGHT };
    const isSeen = y >= 0 && y + NAME_HEIGHT <= frame.height && spot.x < frame.width;
    if (isSeen && !taken.some((other) => overlap(other, spot))) return spot;
  }
  return null;
}

function write(
  context: CanvasRenderingContext2D,
  { colour, dashed }: Named,
  text: string,
  { x, y, w, h }: Rect,
): void {
  context.fillStyle = dashed ? "rgb(20 20 18 / 82%)" : colour;
  context.fillRect(x, y, w, h);
  context.fillStyle = dashed ? "#fff" : inkOn(colour);
  context.fillText(text, x + 5, y + h / 2 + 0.5);
}

function shortened(context: CanvasRenderingContext2D, text: string, most: number): string {
  if (context.measureText(text).width <= most) return text;
  for (let length = text.length - 1; length > 1; length -= 1) {
    const short = `${text.slice(0, length)}…`;
    if (context.measureText(short).width <= most) return short;
  }
  return "";
}

/** Black or white, whichever can be read on a colour written as `#rrggbb`. */
export function inkOn(colour: string): string {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) =>
    Number.parseInt(colour.slice(at, at + 2), 16),
  );
  return 0.299 * r + 0.587 * g + 0.114 * b > 140 ? "#14140f" : "#fff";
}
