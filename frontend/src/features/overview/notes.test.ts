import { expect, it } from "vitest";
import { notesOf } from "./notes";

const first = { notes: ["No evaluation image.", "Told apart by a: a 0.94, b 1.20.", "10 of 30."] };
const second = { notes: ["No evaluation image.", "Told apart by a: a 0.71, b 0.99.", "9 of 30."] };
const third = { notes: ["No evaluation image.", "Told apart by b: b 0.60, a 0.72."] };

it("says of a round what the one after it does not say again", () => {
  expect(notesOf(first, second)).toEqual(["10 of 30."]);
  expect(notesOf(second, third)).toEqual(["Told apart by a: a 0.71, b 0.99.", "9 of 30."]);
  expect(notesOf(third)).toEqual(third.notes);
});
