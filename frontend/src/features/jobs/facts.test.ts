import { describe, expect, it } from "vitest";
import { factsOf } from "./facts";

const example = { example_id: 1, class_id: 2, loss: 0.734 };

describe("factsOf", () => {
  it("names rank, gain, confidence, reasons and loss of a kept one", () => {
    const kept = { ...example, rank: 1204, gain: 0.6642, confidence: 0.913 };
    expect(factsOf({ ...kept, reasons: { neighbourhood: 1.534 } })).toEqual([
      ["rank", "1,204"],
      ["gain", "0.66"],
      ["confidence", "91.3\u00a0%"],
      ["neighbourhood", "1.5"],
      ["loss", "0.73"],
    ]);
  });

  it("leaves out what a dropped one has not, and says the loss once", () => {
    const dropped = { ...example, rank: null, gain: null, confidence: null };
    expect(factsOf({ ...dropped, reasons: { loss: 0.734 } })).toEqual([["loss", "0.73"]]);
  });

  it("keeps small and large numbers short", () => {
    const reasons = { drawn: 0.00004321, distance: 12345.6, near: 99.7, gain: -0.07, none: 0 };
    expect(factsOf({ ...example, reasons }).map(([, value]) => value)).toEqual([
      "4e-5",
      "12,346",
      "100",
      "−0.070",
      "0.0",
      "0.73",
    ]);
  });
});
