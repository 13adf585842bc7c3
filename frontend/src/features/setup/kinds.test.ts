import { expect, it } from "vitest";
import { KINDS, kindOf, kinds } from "./kinds";

it("tells each kind of a project by what it holds and asks", () => {
  for (const kind of KINDS) expect(kindOf(kinds[kind])).toBe(kind);
});

it("takes a task type of a package for what its project holds", () => {
  // The API names more than the pages were built with.
  const task = "number" as "classification";
  expect(kindOf({ medium: "text", task })).toBe("text");
  expect(kindOf({ medium: "image", task })).toBe("image");
});
