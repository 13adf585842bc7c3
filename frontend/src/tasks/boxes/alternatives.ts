import type { Rect } from "./geometry";
import type { Proposal } from "./model";

/** Proposals that share so much of what they cover are of one object, whatever they take it for. */
const SAME = 0.8;

const KNOWN = new WeakMap<readonly Proposal[], ReadonlyMap<number, readonly number[]>>();

/** Of each proposal the others that are of the same object; what people said stands for itself. */
export function alternatives(
  proposals: readonly Proposal[],
): ReadonlyMap<number, readonly number[]> {
  let found = KNOWN.get(proposals);
  if (!found) {
    found = new Map(
      proposals.map((one, index) => [
        index,
        proposals.flatMap((other, place) =>
          place !== index && !one.said && !other.said && shareOf(one, other) >= SAME ? [place] : [],
        ),
      ]),
    );
    KNOWN.set(proposals, found);
  }
  return found;
}

/** Of several of the same object only the first: they come by falling score. */
export function firstOfEach(proposals: readonly Proposal[], indices: readonly number[]): number[] {
  const of = alternatives(proposals);
  const kept = new Set<number>();
  for (const index of indices) {
    if (!(of.get(index) ?? []).some((other) => kept.has(other))) kept.add(index);
  }
  return [...kept];
}

/** Intersection over union, 0 to 1. */
function shareOf(a: Rect, b: Rect): number {
  const width = Math.min(a.x + a.w, b.x + b.w) - Math.max(a.x, b.x);
  const height = Math.min(a.y + a.h, b.y + b.h) - Math.max(a.y, b.y);
  if (width <= 0 || height <= 0) return 0;
  const both = width * height;
  return both / (a.w * a.h + b.w * b.h - both);
}
