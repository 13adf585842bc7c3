import { expect, it } from "vitest";
import { isOrdered, readCondition, withBound, writeCondition } from "./fieldConditions";

it.each([
  ["camera=3", "camera", "=", "3"],
  [" score <= 0.5 ", "score", "<=", "0.5"],
  ["taken at>2024-03-01", "taken at", ">", "2024-03-01"],
  ["camera", "camera", "", ""],
  ["!camera", "camera", "!", ""],
  ["name=a=b", "name", "=", "a=b"],
  ['"a=b"="3 "', "a=b", "=", "3 "],
])("%s is read as it is meant", (text, name, sign, value) => {
  expect(readCondition(text)).toEqual({ name, sign, value, written: text });
});

it.each([
  "",
  " ",
  "camera=",
  "=3",
  "!camera=3",
  "camera!=3",
  "camera !=3",
  "camera!",
  '"camera',
  'a="',
  '""=3',
])("%j is no condition", (text) => {
  expect(readCondition(text)).toBeNull();
});

it.each([
  ["camera", "3"],
  ["a<b", " 3 "],
  ['say "hi"', '"quoted" and more'],
  ["!bang", ""],
  ["카메라", "북쪽"],
])("what is written of %j is read back", (name, value) => {
  const written = writeCondition({ name, sign: "=", value });
  expect(readCondition(written)).toEqual({ name, sign: "=", value, written });
  expect(writeCondition({ name, sign: "=", value: "", written: "as it was" })).toBe("as it was");
});

it("has one bound of each kind a field, and none that is empty", () => {
  const set = [readCondition("score>=1"), readCondition("other>=1")].filter((one) => one !== null);
  const written = (value: string) =>
    withBound(set, { name: "score", sign: ">=", value }).map(writeCondition);
  expect(written(" 2 ")).toEqual(["other>=1", "score>=2"]);
  expect(written(" ")).toEqual(["other>=1"]);
});

it("asks for a range of numbers, dates and times alone", () => {
  expect(["1", "-0.5", "1e-3", "2024-03-01", "2024-03-01T10:00"].every(isOrdered)).toBe(true);
  expect(["north", "3 km", "", "true"].some(isOrdered)).toBe(false);
});
