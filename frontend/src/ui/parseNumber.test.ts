import { expect, it } from "vitest";
import { parseNumber } from "./parseNumber";

it.each([
  ["1,500", 1500],
  ["12,500", 12_500],
  ["1,234,567.5", 1_234_567.5],
  ["-1,000", -1000],
  ["1,5", 1.5],
  ["0,500", 0.5],
  ["1,2345", 1.2345],
  ["0.25", 0.25],
  [" 40 ", 40],
])("reads %s as %d", (text, number) => {
  expect(parseNumber(text)).toBe(number);
});

it.each(["1,5,0", "1,50,000", "forty", "1.500,5"])("takes %s for no number", (text) => {
  expect(parseNumber(text)).toBeNaN();
});
