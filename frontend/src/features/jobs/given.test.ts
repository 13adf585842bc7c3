import { expect, it } from "vitest";
import type { Algorithm } from "../../api/types";
import { changedOf } from "./given";

const algorithm = {
  of_texts: null,
  defaults: { method: "uniform", ratio: 0.5, tau: null, epochs: 10 },
  params_schema: {
    properties: {
      method: { type: "string" },
      ratio: { type: "number" },
      tau: { anyOf: [{ type: "number" }, { type: "null" }] },
      epochs: { type: "integer" },
    },
  },
} as unknown as Algorithm;

it("names what is not as by default, in the order of the form", () => {
  const given = { tau: 0.99, method: "margin", ratio: 0.2, epochs: 10 };
  expect(changedOf(algorithm, given, "method")).toBe("Ratio 0.2, Tau 0.99");
});

it("has nothing to say of defaults, and of what was not recorded", () => {
  expect(changedOf(algorithm, { method: "margin", ratio: 0.5 }, "method")).toBe("");
});
