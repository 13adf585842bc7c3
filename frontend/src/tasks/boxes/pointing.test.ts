import { describe, expect, it } from "vitest";
import { redone, startOf, took, undone } from "../history";
import { chosenBy, handleAt, inReadingOrder, nextOf, under } from "./hit";

const placed = (key: string, x: number, y: number, w: number, h: number) => ({
  key,
  rect: { x, y, w, h },
});

describe("what is under the pointer", () => {
  const all = [placed("outer", 0, 0, 100, 100), placed("inner", 40, 40, 10, 10)];

  it("is the smallest first, and with each click the next", () => {
    const found = under({ x: 45, y: 45 }, all, 1);
    expect(found.map(({ key }) => key)).toEqual(["inner", "outer"]);
    expect(chosenBy(found, null)?.key).toBe("inner");
    expect(chosenBy(found, "inner")?.key).toBe("outer");
    expect(chosenBy(found, "outer")?.key).toBe("inner");
    expect(chosenBy([], "outer")).toBeNull();
  });

  it("is a corner before a side, and nothing in the middle", () => {
    const rect = { x: 10, y: 10, w: 100, h: 80 };
    const view = { k: 2, x: 5, y: 5 };
    expect(handleAt({ x: 26, y: 24 }, rect, view, 7)).toEqual({ dx: -1, dy: -1 });
    expect(handleAt({ x: 225, y: 60 }, rect, view, 7)).toEqual({ dx: 1, dy: 0 });
    expect(handleAt({ x: 120, y: 90 }, rect, view, 7)).toBeNull();
  });

  it("is only corners of a box that has no room for more", () => {
    const rect = { x: 0, y: 0, w: 8, h: 8 };
    const view = { k: 1, x: 0, y: 0 };
    expect(handleAt({ x: 8, y: 8 }, rect, view, 7)).toEqual({ dx: 1, dy: 1 });
    expect(handleAt({ x: 4, y: 4 }, rect, view, 3)).toBeNull();
  });
});

it("goes through boxes as they are read, round and round", () => {
  const all = [placed("c", 5, 90, 5, 5), placed("b", 60, 2, 5, 5), placed("a", 2, 5, 5, 5)];
  const order = inReadingOrder(all, 100);
  expect(order.map(({ key }) => key)).toEqual(["a", "b", "c"]);
  expect(nextOf(order, null, 1)?.key).toBe("a");
  expect(nextOf(order, null, -1)?.key).toBe("c");
  expect(nextOf(order, "c", 1)?.key).toBe("a");
  expect(nextOf([], "c", 1)).toBeNull();
});

describe("undo", () => {
  it("takes back every step, and gives it again", () => {
    let history = startOf(0);
    for (const step of [1, 2, 3]) history = took(history, step);
    history = undone(undone(history) ?? history) ?? history;
    expect(history.present).toBe(1);
    history = redone(history) ?? history;
    expect(history.present).toBe(2);
    history = took(history, 9);
    expect(redone(history)).toBeNull();
    expect(undone(startOf(0))).toBeNull();
  });

  it("takes back a key that was held down at once", () => {
    let history = startOf(0);
    for (const step of [1, 2, 3]) history = took(history, step, "nudge 7");
    history = took(history, 4, "nudge 8");
    expect(undone(history)?.present).toBe(3);
    expect(undone(undone(history) ?? history)?.present).toBe(0);
  });
});
