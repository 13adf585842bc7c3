import { expect, it, vi } from "vitest";
import { en } from "./en";

type Say = (...counts: number[]) => unknown;

function sayings(value: unknown, path = ""): [path: string, say: Say][] {
  if (typeof value === "function") return [[path, value as Say]];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) =>
    sayings(part, path ? `${path}.${key}` : key),
  );
}

/** What is said where everything that is counted is one; nothing where something else is meant by it. */
function ofOne(say: Say): string {
  try {
    return String(say(...Array(say.length).fill(1)));
  } catch {
    return "";
  }
}

it("says of one that it is one", () => {
  // Only counts are written by it: names, and numbers that were written before, are not.
  vi.spyOn(Number.prototype, "toLocaleString").mockReturnValue("①");
  const said = sayings(en).map(([path, say]) => `${path}: ${ofOne(say)}`);
  const many =
    /(?<!\bof (?:the )?)① (?!is\b|was\b|has\b|class\b|waits\b|as\b)(\w+s|are|have|were)\b/i;
  expect(said.filter((sentence) => many.test(sentence))).toEqual([]);
});
