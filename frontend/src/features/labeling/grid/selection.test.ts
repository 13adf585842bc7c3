import { describe, expect, it } from "vitest";
import {
  band,
  clear,
  extendTo,
  focusOn,
  move,
  NOTHING,
  nextOpen,
  release,
  rowsOf,
  type Selection,
  settle,
  targets,
  toggle,
  toggleAll,
} from "./selection";

/** Two groups, in rows of three. */
const ROWS = rowsOf(
  [
    [1, 2, 3, 4],
    [5, 6],
  ],
  3,
);
const ORDER = ROWS.flat();
const chosen = (selection: Selection) => [...selection.chosen].sort((a, b) => a - b);
const at = (id: number) => focusOn(NOTHING, id);

describe("keys", () => {
  it("lays groups out in rows of their own", () => {
    expect(ROWS).toEqual([[1, 2, 3], [4], [5, 6]]);
  });

  it("moves within rows and between them, and stops at the ends", () => {
    expect(move(NOTHING, ROWS, "right", false).focus).toBe(1);
    expect(move(at(3), ROWS, "right", false).focus).toBe(4);
    expect(move(at(3), ROWS, "down", false).focus).toBe(4);
    expect(move(at(6), ROWS, "up", false).focus).toBe(4);
    expect(move(at(6), ROWS, "right", false).focus).toBe(6);
    expect(move(at(1), ROWS, "up", false).focus).toBe(1);
  });

  it("chooses with shift what it passes, and lets go of it on the way back", () => {
    const two = move(move(at(2), ROWS, "right", true), ROWS, "right", true);
    expect(chosen(two)).toEqual([2, 3, 4]);
    const back = move(two, ROWS, "left", true);
    expect(chosen(back)).toEqual([2, 3]);
    expect(chosen(move(back, ROWS, "up", true))).toEqual([2, 3]);
  });

  it("keeps what was chosen before the range", () => {
    const before = focusOn(toggle(NOTHING, 6), 1);
    expect(chosen(move(before, ROWS, "right", true))).toEqual([1, 2, 6]);
  });
});

describe("the mouse", () => {
  it("chooses and lets go by clicks", () => {
    const two = toggle(toggle(NOTHING, 1), 3);
    expect(chosen(two)).toEqual([1, 3]);
    expect(chosen(toggle(two, 1))).toEqual([3]);
  });

  it("chooses to a shift-click in either direction", () => {
    expect(chosen(extendTo(toggle(NOTHING, 2), ORDER, 5))).toEqual([2, 3, 4, 5]);
    expect(chosen(extendTo(toggle(NOTHING, 5), ORDER, 3))).toEqual([3, 4, 5]);
  });

  it("adds what a band touches now, not what it touched on its way", () => {
    const before = toggle(NOTHING, 6);
    const wide = band(before, [1, 2, 3]);
    const narrow = band(wide, [2]);
    expect(chosen(narrow)).toEqual([2, 6]);
    expect(chosen(band(release(narrow), [4]))).toEqual([2, 4, 6]);
  });
});

describe("groups and verdicts", () => {
  it("chooses a whole group, and then nothing of it", () => {
    const all = toggleAll(toggle(NOTHING, 2), [1, 2, 3]);
    expect(chosen(all)).toEqual([1, 2, 3]);
    expect(chosen(toggleAll(all, [1, 2, 3]))).toEqual([]);
  });

  it("judges what is chosen, or else what is at the keys", () => {
    expect(targets(NOTHING)).toEqual([]);
    expect(targets(at(4))).toEqual([4]);
    expect(targets(toggle(at(4), 5))).toEqual([5]);
    expect(targets(clear(toggle(at(4), 5)))).toEqual([5]);
  });

  it("goes on to the next open image, around the end", () => {
    const open = new Set([2, 5]);
    expect(nextOpen(ORDER, open, 3)).toBe(5);
    expect(nextOpen(ORDER, open, 6)).toBe(2);
    expect(nextOpen(ORDER, new Set(), 6)).toBeNull();
  });

  it("forgets what has left the page", () => {
    const before = toggle(toggle(NOTHING, 1), 4);
    const after = settle(before, [4, 5, 6], new Set([5, 6]));
    expect(chosen(after)).toEqual([4]);
    expect(settle(at(1), [4, 5, 6], new Set([5, 6])).focus).toBe(5);
  });
});
