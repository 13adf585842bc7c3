import { expect, test } from "vitest";
import { cannotTell, imagesSaid } from "./measures";
import type { Round } from "./types";

const round = (values: Partial<Round>): Round =>
  ({
    chosen: { label: 30, no_objects: 0, ood: 30, skip: 0, unsure: 0 },
    purity_auroc: null,
    metrics: {},
    ...values,
  }) as Round;

const told = (auroc: number, inside = 30, ood = 30) => ({ auroc, error: 0.05, inside, ood });

test.each<[string, Partial<Round>, boolean]>([
  ["nothing measured", {}, false],
  ["near chance", { metrics: { purity_left_out: told(0.58) } }, true],
  ["well above", { metrics: { purity_left_out: told(0.65) } }, false],
  ["too few of one kind", { metrics: { purity_left_out: told(0.5, 200, 9) } }, false],
  // Of images that were chosen because they are alike, it can tell less than of others.
  ["chosen alike", { purity_auroc: 0.5, metrics: { purity_left_out: told(0.9) } }, false],
  ["only of the chosen", { purity_auroc: 0.5 }, false],
  ["an accident", { metrics: { purity_left_out: { ...told(0.6, 10, 10), error: 0.2 } } }, false],
  ["images of none first", { metrics: { telling: told(0.5), purity_left_out: told(0.9) } }, true],
])("whether a model can tell images apart: %s", (_, values, expected) => {
  expect(cannotTell(round(values))).toBe(expected);
});

test("verdicts of several annotators on an image are no images of their own", () => {
  const drawn = { label: 3, no_objects: 0, ood: 6, skip: 0, unsure: 0 };
  const three = round({ settings: { overlap: 3 } });
  expect(imagesSaid(three)).toEqual({ inside: 10, ood: 10, all: 20 });
  expect(imagesSaid(three, drawn)).toEqual({ inside: 1, ood: 2, all: 3 });
  expect(imagesSaid(round({ settings: {} }))).toEqual({ inside: 30, ood: 30, all: 60 });
});

test("an image in which nothing is counts as one of no class, as it does to purity", () => {
  const chosen = { label: 30, no_objects: 10, ood: 30, skip: 0, unsure: 0 };
  expect(imagesSaid(round({ chosen, settings: {} }))).toEqual({ inside: 20, ood: 40, all: 60 });
});
