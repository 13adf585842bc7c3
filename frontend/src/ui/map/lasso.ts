import type { Place } from "./plane";

const MOST_CORNERS = 48;

/** Keep the corners that matter, by Douglas and Peucker, with the tolerance that leaves few enough. */
export function simplify(outline: Place[], tolerance = 2, most = MOST_CORNERS): Place[] {
  if (outline.length <= 3) return outline;
  const kept = thinned(outline, tolerance);
  return kept.length <= most ? kept : simplify(outline, tolerance * 1.6, most);
}

function thinned(outline: Place[], tolerance: number): Place[] {
  const first = outline[0];
  const last = outline.at(-1);
  if (!first || !last || outline.length < 3) return outline;
  let farthest = 0;
  let distance = tolerance;
  for (let index = 1; index < outline.length - 1; index += 1) {
    const away = distanceTo(outline[index] as Place, first, last);
    if (away > distance) {
      farthest = index;
      distance = away;
    }
  }
  if (farthest === 0) return [first, last];
  return [
    ...thinned(outline.slice(0, farthest + 1), tolerance).slice(0, -1),
    ...thinned(outline.slice(farthest), tolerance),
  ];
}

function distanceTo(place: Place, from: Place, to: Place): number {
  const dx = to.x - from.x;
  const dy = to.y - from.y;
  const length = Math.hypot(dx, dy);
  if (length === 0) return Math.hypot(place.x - from.x, place.y - from.y);
  return Math.abs(dy * (place.x - from.x) - dx * (place.y - from.y)) / length;
}

/** Area in square pixels; a click or a scratch is no outline. */
export function areaOf(outline: Place[]): number {
  let twice = 0;
  outline.forEach(({ x, y }, index) => {
    const next = outline[(index + 1) % outline.length] as Place;
    twice += x * next.y - next.x * y;
  });
  return Math.abs(twice) / 2;
}

const shown = (value: number): string => String(Number(value.toPrecision(6)));

/** As it stands in addresses and is sent to the server. */
export const encode = (outline: Place[]): string =>
  outline.map(({ x, y }) => `${shown(x)},${shown(y)}`).join(";");

/** The outline of an address; null if it is none. */
export function decode(text: string | null): Place[] | null {
  if (!text) return null;
  const outline = text.split(";").map((pair) => {
    const [x, y, ...rest] = pair.split(",").map(Number);
    return { x: rest.length > 0 ? Number.NaN : (x ?? Number.NaN), y: y ?? Number.NaN };
  });
  const valid = outline.every(({ x, y }) => Number.isFinite(x) && Number.isFinite(y));
  return valid && outline.length >= 3 ? outline : null;
}
