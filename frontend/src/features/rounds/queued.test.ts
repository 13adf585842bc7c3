import { expect, it } from "vitest";
import type { Settings } from "../../api/types";
import { whyQueued } from "./queued";

const round = (cost: Partial<Settings["cost"]>, more: Partial<Settings> = {}) => ({
  strategy: "margin",
  settings: {
    budget: 40,
    cost: { mode: "fixed", c_in: 1, c_ood: 1, ...cost },
    overlap: 1,
    zero_wait: true,
    ...more,
  },
});

it("tells what is kept for the time of training from what the budget pays for", () => {
  expect(whyQueued(round({}), 60, 0)).toEqual({
    by: "budget",
    budget: "40",
    tail: true,
    before: 0,
  });
  expect(whyQueued(round({}, { overlap: 2 }), 30, 0)).toMatchObject({ by: "budget", before: 0 });
  expect(whyQueued(round({ c_ood: 0.5 }), 120, 0)).toMatchObject({ by: "lowest", before: 0 });
});

it("tells what came before, and where the pool was too small", () => {
  expect(whyQueued(round({}), 63, 3)).toMatchObject({ by: "budget", before: 3 });
  expect(whyQueued(round({}), 12, 0)).toMatchObject({ by: "pool", before: 0 });
  expect(whyQueued({ ...round({}), strategy: "audit" }, 12, 0)).toBeNull();
});

it("does not take a queue for the rest of the pool because checks were added to its budget", () => {
  const checked = { ...round({}), budget: 90 };
  expect(whyQueued(checked, 110, 50)).toMatchObject({ by: "budget", budget: "40", before: 50 });
  // Nor for what the budget pays for, where checks alone make up for what the pool lacked.
  expect(whyQueued(checked, 70, 50)).toBeNull();
});

it("gives a budget of time as time", () => {
  const paid = whyQueued(round({ mode: "seconds" }, { budget: 120 }), 31, 0);
  expect(paid).toMatchObject({ by: "time", budget: "2 min", tail: true });
});

it("is silent where the numbers are the same, or there are none", () => {
  expect(whyQueued(round({}, { zero_wait: false }), 40, 0)).toBeNull();
  expect(whyQueued(round({}), 0, 0)).toBeNull();
});
