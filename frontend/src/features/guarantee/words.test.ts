import { expect, it } from "vitest";
import type { Lot } from "../../api/guarantee";
import { aboutOf, highOf, of100, sureOf } from "../../ui/outOf";
import { imagesOf, oddsOf, sorted } from "./words";

it("never promises more than holds by rounding", () => {
  expect(highOf(0.0191)).toBe("2");
  expect(highOf(0.0201)).toBe("2.1");
  expect(highOf(0.02)).toBe("2");
  expect(highOf(0.0004)).toBe("0.1");
  expect(aboutOf(0.0004)).toBe("0");
  expect([0.07, 0.0025, 0.5].map(of100)).toEqual([7, 0.25, 50]);
});

it("says a confidence in words", () => {
  expect(sureOf(0.95)).toBe("95\u00a0%");
  expect(sureOf(0.999)).toBe("99.9\u00a0%");
  expect(sureOf(0.99999)).toBe("99.99\u00a0%");
  expect(sureOf(0.57)).toBe("57\u00a0%");
  expect(oddsOf(0.95)).toEqual({ kept: 19, of: 20 });
  expect(oddsOf(0.99)).toEqual({ kept: 99, of: 100 });
  expect(oddsOf(0.5)).toEqual({ kept: 1, of: 2 });
});

const lot = (id: number, class_id: number | null, low: number, state: Lot["state"]): Lot => ({
  ...{ id, class_id, band: { low, high: low + 0.1 }, size: 10 * id, state },
  ...{ drawn: 0, wrong: 0, unsure: 0, bound: null, labeled: 0 },
});
const classes = [7, 3].map((id, index) => ({ id, name: `c${id}`, colour: "#123456", index }));
const lots = [lot(1, null, 0.9, "passed"), lot(2, 3, 0.5, "people"), lot(3, 3, 0.8, "passed")];

it("reads lots by class, none of them last, the surest first", () => {
  const order = sorted([...lots, lot(4, 7, 0.1, "open")], classes as never);
  expect(order.map(({ id }) => id)).toEqual([4, 3, 2, 1]);
});

it("counts images by what becomes of their lots", () => {
  expect(imagesOf(lots)).toEqual({ passed: 40, people: 20, open: 0 });
});
