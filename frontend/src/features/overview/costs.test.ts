import { expect, it } from "vitest";
import type { Round } from "../../api/types";
import { costParts } from "./costs";

const round = (mode: "fixed" | "seconds"): Round =>
  ({
    spent: 25,
    answered: { label: 10, ood: 10, skip: 3, unsure: 5 },
    settings: { cost: { mode, c_in: 1, c_ood: 1 } },
  }) as unknown as Round;

it("tells what was spent on verdicts of each kind by the prices of the round", () => {
  expect(costParts(round("fixed"))).toEqual([
    { value: 10, tone: "in" },
    { value: 10, tone: "ood" },
    { value: 5, tone: "unsure" },
  ]);
});

it("does not guess which verdicts took the seconds", () => {
  expect(costParts(round("seconds"))).toEqual([{ value: 25, tone: "rest" }]);
});
