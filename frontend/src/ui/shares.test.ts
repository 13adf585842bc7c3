import { expect, test } from "vitest";
import { formatPercent, formatWholePercent } from "./format";
import { aurocOf, FEWEST, formatAuroc, formatShare, shareOf } from "./shares";

test("a share is told with its interval, and of few not at all", () => {
  for (const count of [1, 5, FEWEST - 1]) {
    expect(shareOf(count, count)).toBeNull();
    expect(formatShare(shareOf(0, count))).toBe("too few yet");
  }
  // R: binom.confint(29, 30, method = "wilson")
  const known = shareOf(29, 30);
  expect(known?.low).toBeCloseTo(0.8333, 3);
  expect(known?.high).toBeCloseTo(0.9941, 3);
  expect(formatShare(known)).toBe("96.7\u00a0% (83–100)");
});

test("intervals hold what was measured, stay within 0 and 1, and narrow as there is more", () => {
  for (const count of [20, 100, 1000]) {
    for (const part of [0, 0.05, 0.5, 0.97, 1]) {
      const known = shareOf(part * count, count);
      const larger = shareOf(part * 4 * count, 4 * count);
      const auroc = aurocOf(part, count / 2, count / 2);
      for (const one of [known, larger, auroc]) {
        expect(one?.low).toBeGreaterThanOrEqual(0);
        expect(one?.low).toBeLessThanOrEqual(part);
        expect(one?.high).toBeGreaterThanOrEqual(part);
        expect(one?.high).toBeLessThanOrEqual(1);
      }
      const width = ({ low, high }: { low: number; high: number }) => high - low;
      if (known && larger) expect(width(larger)).toBeLessThan(width(known));
    }
  }
  expect(aurocOf(0.9, 19, 0)).toBeNull();
  expect(aurocOf(1, 10, 5)).toBeNull();
});

const SHARES = [0, 0.0002, 0.002, 0.05, 0.5, 0.972, 0.993, 0.9996, 1];

test.each([30, 200, 3000, 20_000, 1e6])("what is read of %d holds what was measured", (count) => {
  for (const share of SHARES) {
    const hits = Math.round(share * count);
    const half = count / 2;
    for (const [text, known] of [
      [formatShare(shareOf(hits, count)), hits / count],
      [formatAuroc(aurocOf(hits / count, half, half)), hits / count],
    ] as const) {
      const [value = NaN, low = NaN, high = NaN] = (text.match(/[\d.]+/g) ?? []).map(Number);
      expect(low, text).toBeLessThanOrEqual(value);
      expect(high, text).toBeGreaterThanOrEqual(value);
      const all = text.includes("%") ? 100 : 1;
      expect([value === 0, value === all], text).toEqual([known === 0, known === 1]);
      if (high > low) expect(high - low, text).toBeLessThan(all * 0.5);
    }
  }
});

test("neither nothing nor all is read where it is not", () => {
  expect([0, 0.0004, 0.5, 0.9997, 1].map(formatPercent)).toEqual(
    ["0.0", "0.04", "50.0", "99.97", "100.0"].map((percent) => `${percent}\u00a0%`),
  );
  expect([0, 0.004, 0.5, 0.996, 1].map(formatWholePercent)).toEqual(
    ["0", "0.4", "50", "99.6", "100"].map((percent) => `${percent}\u00a0%`),
  );
  // What sums of fractions add to it or take from it is nothing.
  expect([1e-12, 1 - 1e-12].map(formatPercent)).toEqual(["0.0\u00a0%", "100.0\u00a0%"]);
});
