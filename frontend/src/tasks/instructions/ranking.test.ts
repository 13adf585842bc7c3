import { describe, expect, it } from "vitest";
import { rankingOf } from "./model";
import * as ranking from "./ranking";
import { NOTHING, type Ranking, type Target } from "./ranking";

/** Numbers that look drawn by lot and are the same in every run. */
function lots(seed: number) {
  let state = seed;
  return (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

type Step = (now: Ranking, ids: number[], lot: (below: number) => number) => Ranking;

const anyOf = (ids: number[], lot: (below: number) => number): number => ids[lot(ids.length)] ?? 0;

function anyTarget({ order }: Ranking, lot: (below: number) => number): Target {
  const kind = lot(4);
  if (kind === 0) return "wrong";
  if (kind === 1) return "open";
  if (kind === 2 && order.length > 0) return { into: lot(order.length) };
  return { before: lot(order.length + 1) };
}

const STEPS: Step[] = [
  (now, ids, lot) => ranking.pressed(now, anyOf(ids, lot)),
  (now, ids, lot) => ranking.blamed(now, anyOf(ids, lot)),
  (now) => ranking.tied(now) ?? now,
  (now, ids, lot) => ranking.moved(now, anyOf(ids, lot), anyTarget(now, lot)),
  (now, ids, lot) => ranking.stepped(now, anyOf(ids, lot), lot(2) === 0 ? 1 : -1),
];

function walk(seed: number): { ids: number[]; states: Ranking[] } {
  const lot = lots(seed);
  const ids = Array.from({ length: 2 + lot(9) }, (_, index) => 100 + 7 * index);
  const states = [NOTHING];
  for (let step = 0; step < 60; step += 1) {
    const now = states.at(-1) ?? NOTHING;
    states.push(STEPS[lot(STEPS.length)]?.(now, ids, lot) ?? now);
  }
  return { ids, states };
}

const SEEDS = Array.from({ length: 40 }, (_, seed) => seed + 1);
const said = ({ order, wrong }: Ranking): number[] => [...order.flat(), ...wrong];

describe("whatever one does", () => {
  it.each(SEEDS)("no example is lost, doubled, or in an empty place (walk %i)", (seed) => {
    const { ids, states } = walk(seed);
    for (const state of states) {
      const all = [...said(state), ...ranking.openOf(state, ids)];
      expect(all.sort((a, b) => a - b)).toEqual(ids);
      expect(state.order.every((place) => place.length > 0)).toBe(true);
    }
  });

  it.each(SEEDS)(
    "what is sent names each example once, and reads back as it was (walk %i)",
    (seed) => {
      const { ids, states } = walk(seed);
      for (const state of states) {
        const whole = ranking.completed(state, ids);
        expect(said(whole).sort((a, b) => a - b)).toEqual(ids);
        expect(ranking.openOf(whole, ids)).toEqual([]);
        // What was placed keeps its place: the rest comes after it.
        expect(whole.order.slice(0, state.order.length)).toEqual(state.order);
        const label = rankingOf(JSON.parse(JSON.stringify(ranking.labelOf(whole))));
        expect(label && ranking.rankingFrom(label, ids)).toEqual(whole);
      }
    },
  );

  it.each(SEEDS)("a key pressed twice changes nothing for what was open (walk %i)", (seed) => {
    const { ids, states } = walk(seed);
    for (const state of states) {
      const [open] = ranking.openOf(state, ids);
      if (open === undefined) continue;
      const isBack = (again: Ranking) => expect(ranking.isSame(again, state)).toBe(true);
      isBack(ranking.pressed(ranking.pressed(state, open), open));
      isBack(ranking.blamed(ranking.blamed(state, open), open));
    }
  });

  it.each(SEEDS)("a tie that is taken back leaves the order as it was (walk %i)", (seed) => {
    for (const state of walk(seed).states) {
      const once = ranking.tied(state);
      if (once === null) expect(state.order.flat().length).toBeLessThan(2);
      else expect(ranking.tied(once)).toEqual(state);
    }
  });
});

describe("keys in order of preference", () => {
  const of = (...ids: number[]): Ranking => ids.reduce(ranking.pressed, NOTHING);

  it("puts one after the other, and closes the gap behind one that is taken back", () => {
    expect(of(3, 1, 2).order).toEqual([[3], [1], [2]]);
    expect(ranking.pressed(of(3, 1, 2), 1).order).toEqual([[3], [2]]);
    expect(ranking.placeOf(of(3, 1, 2), 2)).toBe(3);
  });

  it("ties three by two keys", () => {
    const two = ranking.tied(of(3, 1)) as Ranking;
    const three = ranking.tied(ranking.pressed(two, 2)) as Ranking;
    expect(three.order).toEqual([[3, 1, 2]]);
    expect(ranking.tied(of(3))).toBeNull();
  });

  it("takes what is wrong out of the order", () => {
    const blamed = ranking.blamed(of(3, 1, 2), 3);
    expect(blamed).toEqual({ order: [[1], [2]], wrong: [3] });
    expect(ranking.placeOf(blamed, 3)).toBeNull();
    expect(ranking.pressed(blamed, 3)).toEqual({ order: [[1], [2]], wrong: [] });
  });
});

describe("moving by hand", () => {
  const start: Ranking = { order: [[1], [2, 3], [4]], wrong: [5] };

  it("counts places as they are seen", () => {
    expect(ranking.moved(start, 4, { before: 0 }).order).toEqual([[4], [1], [2, 3]]);
    expect(ranking.moved(start, 1, { before: 3 }).order).toEqual([[2, 3], [4], [1]]);
    expect(ranking.moved(start, 1, { into: 2 }).order).toEqual([
      [2, 3],
      [4, 1],
    ]);
    expect(ranking.moved(start, 5, { into: 0 })).toEqual({
      order: [[1, 5], [2, 3], [4]],
      wrong: [],
    });
    expect(ranking.moved(start, 2, "wrong")).toEqual({ order: [[1], [3], [4]], wrong: [5, 2] });
  });

  it("steps out of a tie, past a place, and no further than the ends", () => {
    expect(ranking.stepped(start, 3, 1).order).toEqual([[1], [2], [3], [4]]);
    expect(ranking.stepped(start, 3, -1).order).toEqual([[1], [3], [2], [4]]);
    expect(ranking.stepped(start, 1, 1).order).toEqual([[2, 3], [1], [4]]);
    expect(ranking.stepped(start, 1, -1)).toBe(start);
    expect(ranking.stepped(start, 4, 1)).toBe(start);
    expect(ranking.stepped(start, 5, 1)).toBe(start);
  });
});
