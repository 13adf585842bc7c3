import { expect, it } from "vitest";
import { nearest } from "./nearest";
import { chosenPair } from "./pair";

it("compares what the address names, and the newest where it names nothing", () => {
  const ids = [9, 7, 4];
  expect(chosenPair(ids, null, null)).toEqual([9, 7]);
  expect(chosenPair(ids, "4", "9")).toEqual([4, 9]);
  expect(chosenPair(ids, "9", null)).toEqual([9, 7]);
  expect(chosenPair(ids, null, "9")).toEqual([7, 9]);
  expect(chosenPair(ids, "1", "x")).toEqual([9, 7]);
});

it("finds the threshold that is nearest to the one in use", () => {
  const rows = [{ tau: 0.99 }, { tau: 0.9 }, { tau: 0.5 }];
  expect(nearest(rows, 0.93)?.tau).toBe(0.9);
  expect(nearest(rows, 0.1)?.tau).toBe(0.5);
  expect(nearest([], 0.1)).toBeUndefined();
});
