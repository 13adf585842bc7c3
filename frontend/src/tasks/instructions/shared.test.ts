import { describe, expect, it } from "vitest";
import { piecesOf } from "./pieces";
import { commonEnd, commonStart, ownParts } from "./shared";

const own = (texts: string[]): (string | null)[] =>
  ownParts(texts).map((part, index) => part && (texts[index]?.slice(part.from, part.to) ?? null));

describe("what rows that are nearly alike differ in", () => {
  it("is what stands between a beginning and an end in common, in whole words", () => {
    const texts = [
      "Write a short story about a brave knight who lives in a castle.",
      "Write a short story about a brave dragon who lives in a castle.",
    ];
    expect(own(texts)).toEqual(["knight", "dragon"]);
  });

  it("does not part a word, nor a sign of two units", () => {
    expect(commonStart("translate", "transform")).toBe(0);
    expect(commonStart("one transform", "one translate")).toBe(4);
    expect(commonStart("a 😀", "a 😁")).toBe(2);
    expect(commonEnd("😀 b", "😁 b")).toBe(2);
  });

  it("is nothing of texts that are the same, and all of those that have little in common", () => {
    const same = "Name three things that float on water.";
    expect(own([same, same])).toEqual(["", ""]);
    expect(own(["List five fruits.", "List five trees."])).toEqual([null, null]);
    expect(own(["alone with nothing to compare it to"])).toEqual([null]);
  });

  it("is told beside texts that differ, where others are the same", () => {
    const texts = [
      "The capital of France is Paris, on the Seine.",
      "The capital of France is Paris, on the Seine.",
      "The capital of France is Lyon, on the Seine.",
    ];
    expect(own(texts)).toEqual(["Paris", "Paris", "Lyon"]);
  });

  it("goes by the text that has most in common with it", () => {
    const texts = [
      "Summarize the following article about birds in one line.",
      "Summarize the following article about birds in two lines.",
      "What is the capital of France?",
    ];
    expect(own(texts)[2]).toBeNull();
    expect(own(texts)[0]).toBe("one line");
  });
});

describe("pieces of a text", () => {
  const text = "Sum them:\n```python\ndef f(a):\n\treturn  sum(a)\n```\nDone.";

  it("lose no character, and know code from prose", () => {
    const pieces = piecesOf(text, null);
    expect(pieces.map((piece) => piece.text).join("")).toBe(text);
    expect(pieces.filter((piece) => piece.isCode).map((piece) => piece.text)).toEqual([
      "```python\ndef f(a):\n\treturn  sum(a)\n```\n",
    ]);
  });

  it("lose none either where a part is its own", () => {
    for (let from = 0; from <= text.length; from += 5) {
      for (let to = from; to <= text.length; to += 7) {
        const pieces = piecesOf(text, { from, to });
        expect(pieces.map((piece) => piece.text).join("")).toBe(text);
        const bright = pieces.filter((piece) => !piece.isShared).map((piece) => piece.text);
        expect(bright.join("")).toBe(text.slice(from, to));
      }
    }
  });

  it("keep a fence that nobody closed", () => {
    const open = "Look:\n```\nx = 1";
    expect(piecesOf(open, null).map(({ isCode }) => isCode)).toEqual([false, true]);
  });
});
