import { expect, it } from "vitest";
import { nearest, steps, stretches, tickLabels, ticks } from "./scale";

it("covers the range with round numbers", () => {
  expect(ticks(0, 1)).toEqual([0, 0.2, 0.4, 0.6, 0.8, 1]);
  expect(ticks(0.62, 0.91)).toEqual([0.6, 0.7, 0.8, 0.9, 1]);
  expect(ticks(0, 100)).toEqual([0, 20, 40, 60, 80, 100]);
});

it("copes with a range of one value", () => {
  const values = ticks(0.5, 0.5);
  expect(values.length).toBeGreaterThan(0);
  expect(values.every(Number.isFinite)).toBe(true);
});

it("has a scale beside a single value, and no share of more than all", () => {
  expect(ticks(0.5, 0.5)).toEqual([0.4, 0.5, 0.6]);
  expect(ticks(1, 1)).toEqual([0.8, 1]);
  expect(ticks(0, 0)).toEqual([0, 0.2]);
  for (const value of [0, 0.01, 0.125, 0.5, 0.93, 1, 3, 250, 1e6, -4]) {
    const found = ticks(value, value);
    expect(found.length).toBeGreaterThan(1);
    expect(Math.min(...found)).toBeLessThanOrEqual(value);
    expect(Math.max(...found)).toBeGreaterThanOrEqual(value);
    if (value >= 0 && value <= 1) {
      expect(Math.min(...found)).toBeGreaterThanOrEqual(0);
      expect(Math.max(...found)).toBeLessThanOrEqual(1);
    }
  }
});

const said = (low: number, high: number) => tickLabels(ticks(low, high), "en");

it("writes ticks with the digits of their step, so that no two read the same", () => {
  expect(said(0, 1)).toEqual(["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
  expect(said(0.999, 0.9996)).toEqual(["0.9990", "0.9992", "0.9994", "0.9996"]);
  expect(said(12_000, 12_300)).toEqual(["12,000", "12,100", "12,200", "12,300"]);
  expect(said(0, 4e-5)).toEqual(["0", "1e-5", "2e-5", "3e-5", "4e-5"]);
  expect(said(1_000_000, 1_000_300)).toEqual(["1.0000e+6", "1.0001e+6", "1.0002e+6", "1.0003e+6"]);
});

it("gives every tick words of its own, wherever the range lies and however narrow it is", () => {
  for (const low of [-3e7, -12.5, 0, 1e-6, 0.37, 999.9, 5e8]) {
    for (const width of [1e-7, 3e-4, 0.07, 1, 640, 2e6]) {
      if (width < Math.abs(low) * 1e-9) continue;
      const words = said(low, low + width);
      expect(new Set(words).size).toBe(words.length);
    }
  }
});

it("numbers rounds one by one, and many in round steps", () => {
  expect(steps(0, 4, 0.4)).toEqual([0, 1, 2, 3, 4]);
  expect(steps(1, 150, 21)).toEqual([1, 51, 101]);
  expect(steps(3, 3, Number.POSITIVE_INFINITY)).toEqual([3]);
});

it("finds what is pointed at between points that are far apart", () => {
  const xs = [1, 51, 101];
  expect([1, 24, 30, 101.4].map((place) => nearest(xs, place))).toEqual([1, 1, 51, 101]);
  expect([0.4, 102].map((place) => nearest(xs, place))).toEqual([null, null]);
  expect(nearest([], 1)).toBeNull();
});

it("cuts a line where a round has no value", () => {
  const at = (...xs: number[]) => xs.map((x) => ({ x }));
  expect(stretches(at(1, 5))).toEqual([at(1), at(5)]);
  expect(stretches(at(0, 1, 2, 4, 5))).toEqual([at(0, 1, 2), at(4, 5)]);
  expect(stretches([])).toEqual([]);
});
