import { expect, test } from "vitest";
import { aurocOf, FEWEST, formatShare, shareOf } from "./shares";

test("a share is told with its interval, and of few not at all", () => {
  for (const count of [1, 5, FEWEST - 1]) {
    expect(shareOf(count, count)).toBeNull();
    expect(formatShare(shareOf(0, count))).toBe("too few yet");
  }
  // R: binom.confint(29, 30, method = "wilson")
  const known = shareOf(29, 30);
  expect(known?.low).toBeCloseTo(0.8333, 3);
  expect(known?.high).toBeCloseTo(0.9941, 3);
  expect(formatShare(known)).toBe("96.7\u00a0% (83–99)");
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
