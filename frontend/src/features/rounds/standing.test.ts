import { expect, it } from "vitest";
import type { LabelClass } from "../../api/types";
import { sinceOf, stateOf } from "./standing";

const CLASSES = [
  { id: 7, name: "cat" },
  { id: 8, name: "dog" },
] as LabelClass[];

it("names the class of a label, and else where the image stands", () => {
  expect(stateOf({ state: "labeled", class_id: 8 }, CLASSES)).toBe("dog");
  expect(stateOf({ state: "labeled", class_id: null, boxes: 2 }, CLASSES)).toBe("2 boxes");
  expect(stateOf({ state: "labeled", class_id: null, boxes: 0 }, CLASSES)).toBe("Nothing in it");
  expect(stateOf({ state: "ood", class_id: null }, CLASSES)).toBe("none of the classes");
  expect(stateOf({ state: "unlabeled", class_id: null }, CLASSES)).toBe("not looked at");
});

it("says what became of an image since, and nothing where nothing did", () => {
  expect(sinceOf({ since: null }, CLASSES)).toBeNull();
  expect(sinceOf({ since: { state: "labeled", class_id: 7, boxes: null } }, CLASSES)).toBe(
    "now cat",
  );
  expect(sinceOf({ since: { state: "queried", class_id: null, boxes: null } }, CLASSES)).toBe(
    "now in the queue",
  );
});
