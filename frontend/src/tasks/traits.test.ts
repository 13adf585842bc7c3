import { expect, it } from "vitest";
import { speakOf } from "../strings/medium";
import { managerWordsOf } from "./managerWords";
import { hasTaskView, traitsOf } from "./traits";

it("takes a type of a package for one that learns classes of labels that are more than a class", () => {
  const traits = traitsOf({ task: "number" });
  expect(hasTaskView({ task: "number" })).toBe(false);
  expect(traits).toMatchObject({ namesOneClass: false, hasClasses: true, isLearned: true });
  expect(traits).toMatchObject({ emptyLabel: null, inGroups: false, measure: "accuracy" });
  expect(traits.takeAway("image")).toEqual(["csv", "jsonl"]);
  expect(traits.words.none().full).toBe("None of the classes");
});

it("takes no name of something else for a type", () => {
  expect(hasTaskView({ task: "constructor" })).toBe(false);
  expect(hasTaskView({ task: "boxes" })).toBe(true);
});

it("says it in the words of the medium of the page", () => {
  const words = managerWordsOf({ task: "classification" });
  const ofImages = words.setup().splitHints.pool + words.setup().imagesHint;
  try {
    speakOf("text");
    expect(words.setup().splitHints.pool + words.setup().imagesHint).not.toBe(ofImages);
  } finally {
    speakOf("image");
  }
});
