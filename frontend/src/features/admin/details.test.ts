import { expect, it } from "vitest";
import { detailsOf } from "./details";

it("says what a value was and what it became", () => {
  const detail = { fields: ["settings"], changes: { "settings.budget": [40, 60] } };
  expect(detailsOf(detail)).toEqual([["settings.budget", "40 → 60"]]);
});

it("says which texts changed, and leaves out what the row says already", () => {
  expect(detailsOf({ fields: ["guidelines"], changes: {} })).toEqual([["fields", "guidelines"]]);
  const params = { tau: null, ratio: 0.5, layers: [1, 2] };
  expect(detailsOf({ params })).toEqual([["params", "ratio 0.5, layers 1, 2"]]);
  expect(detailsOf({ email: "ada@example.org", params: {}, kind: "prune" })).toEqual([
    ["kind", "prune"],
  ]);
});
