import { expect, it } from "vitest";
import type { Settings } from "../../api/types";
import { whyQueued } from "./queued";

const round = (cost: Partial<Settings["cost"]>, more: Partial<Settings> = {}) => ({
  budget: 40,
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
  expect(whyQueued(round({}), 60)).toEqual({ by: "budget", budget: "40", tail: true, sent: 0 });
  expect(whyQueued(round({}, { overlap: 2 }), 30)).toMatchObject({ by: "budget", sent: 0 });
  expect(whyQueued(round({ c_ood: 0.5 }), 120)).toMatchObject({ by: "lowest", sent: 0 });
});

it("tells what people have sent, and where the pool was too small", () => {
  expect(whyQueued(round({}), 63)).toMatchObject({ by: "budget", sent: 3 });
  expect(whyQueued(round({}), 12)).toMatchObject({ by: "pool", sent: 0 });
});

it("counts by the budget that is set where the round may cost less", () => {
  expect(whyQueued({ ...round({}), budget: 12 }, 12)).toMatchObject({ by: "pool", budget: "40" });
  const drawn = { ...round({}), budget: 12, strategy: "audit" };
  expect(whyQueued(drawn, 12)).toBeNull();
});

it("gives a budget of time as time", () => {
  const paid = whyQueued({ ...round({ mode: "seconds" }), budget: 120 }, 31);
  expect(paid).toMatchObject({ by: "time", budget: "2 min", tail: true });
});

it("is silent where the numbers are the same, or there are none", () => {
  expect(whyQueued(round({}, { zero_wait: false }), 40)).toBeNull();
  expect(whyQueued(round({}), 0)).toBeNull();
});
