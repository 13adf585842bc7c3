import { expect, it } from "vitest";
import { folded, isClass } from "./classLookup";

it.each([
  ["insect_or_spider", "Insect  or-Spider"],
  ["STRASSE", "stra\u00dfe"],
  ["\u039f\u0394\u039f\u03a3", "\u03bf\u03b4\u03bf\u03c3"],
  ["co\u00adop", "coop"],
  [
    "\u0939\u093f\u0928\u094d\u0926\u0940_\u092d\u093e\u0937\u093e",
    "\u0939\u093f\u0928\u094d\u0926\u0940 \u092d\u093e\u0937\u093e",
  ],
])("takes %s and %s for one name, as the server does", (one, other) => {
  expect(folded(one)).toBe(folded(other));
  expect(isClass(one, new Set([other]))).toBe(true);
});

it("keeps apart what signs at an end tell apart, and takes none of two that are alike", () => {
  expect(folded("A-")).not.toBe(folded("A"));
  expect(isClass("ice_cream", new Set(["ice cream", "ice-cream"]))).toBe(false);
  expect(isClass("ice-cream", new Set(["ice cream", "ice-cream"]))).toBe(true);
});
