import { expect, it } from "vitest";
import { partsOf, searchedWords } from "./words";

const marked = (text: string, search: string) =>
  partsOf(text, searchedWords(search))
    .filter(({ isMarked }) => isMarked)
    .map(({ text: part }) => part);

it("reads a search as the server does", () => {
  expect(searchedWords('late "next day" or -refund parcel')).toEqual([
    "late",
    "next day",
    "parcel",
  ]);
});

it("marks whole words in any case, in any script", () => {
  expect(marked("Late again, latest late.", "late")).toEqual(["Late", "late"]);
  expect(marked("배송이 늦었어요. 배송 문의", "배송")).toEqual(["배송"]);
  expect(marked("the next\nday it came", '"next day"')).toEqual(["next\nday"]);
});

it("takes signs of patterns for what they are", () => {
  expect(marked("c++ (is) fine", "c++ (is)")).toEqual(["c", "is"]);
  expect(marked("any text", "")).toEqual([]);
});

it("keeps all of the text", () => {
  const text = "a b a";
  expect(
    partsOf(text, ["a"])
      .map((part) => part.text)
      .join(""),
  ).toBe(text);
});
