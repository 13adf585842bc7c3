import { expect, it } from "vitest";
import type { Round } from "../api/types";
import { oodLeftOf, poolShareOf } from "./oodLeft";

function first(answers: number): Round {
  const by_random = { answers, count: 40, low: 20, high: 60 };
  const ood_left = { ...by_random, unlabeled: 100, by_random, by_purity: null };
  const drawn = { label: 13, ood: 9, no_objects: 0, unsure: 0, skip: 0 };
  return { number: 0, settings: {}, ood_left, drawn } as unknown as Round;
}

it("tells the share of the pool where the same answers tell what is left of it", () => {
  expect([oodLeftOf(first(19)), poolShareOf(first(19))]).toEqual([null, null]);
  expect(oodLeftOf(first(20))?.count).toBe(40);
  expect(poolShareOf(first(20))?.value).toBeCloseTo(13 / 22);
  expect(poolShareOf(undefined)).toBeNull();
});
