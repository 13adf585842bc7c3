import { expect, it } from "vitest";
import { partsOf, searchedWords } from "./words";

const marked = (text: string, search: string) =>
  partsOf(text, searchedWords(search))
    .filter(({ isMarked }) => isMarked)
    .map(({ text: part }) => part);

it("reads a search as the server does", () => {
  const found = searchedWords('late "next day" or -refund parcel');
  expect(found.map(({ word }) => word)).toEqual(["late", "next day", "parcel"]);
});

it("marks whole words in any case, in any script", () => {
  expect(marked("Late again, latest late.", '"late"')).toEqual(["Late", "late"]);
  expect(marked("배송이 늦었어요. 배송 문의", '"배송"')).toEqual(["배송"]);
  expect(marked("the next\nday it came", '"next day"')).toEqual(["next\nday"]);
});

it("marks words that begin so, where nothing is quoted", () => {
  expect(marked("Late again, latest, too late; plate.", "late")).toEqual([
    "Late",
    "latest",
    "late",
  ]);
  expect(marked("배송이 늦었어요. 배송 문의", "배송")).toEqual(["배송이", "배송"]);
  expect(marked("the next-days, nextdays", "next-day")).toEqual(["next-days"]);
  expect(marked("late, latest, next day", 'late "next day"')).toEqual(["late", "next day"]);
});

it("takes signs of patterns for what they are", () => {
  expect(marked("c++ (is) fine", "c++ (is)")).toEqual(["c", "is"]);
  expect(marked("any text", "")).toEqual([]);
});

it("keeps all of the text", () => {
  const text = "a b a";
  expect(
    partsOf(text, searchedWords("a"))
      .map((part) => part.text)
      .join(""),
  ).toBe(text);
});
