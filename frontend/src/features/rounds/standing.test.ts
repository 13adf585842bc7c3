import { expect, it } from "vitest";
import type { LabelClass, Project } from "../../api/types";
import { sinceOf, stateOf } from "./standing";

const classes = [
  { id: 7, name: "cat" },
  { id: 8, name: "dog" },
] as LabelClass[];
const PROJECT: Pick<Project, "task" | "classes"> = { task: "classification", classes };
const BOXES: typeof PROJECT = { task: "boxes", classes };

it("names the class of a label, and else where the image stands", () => {
  expect(stateOf({ state: "labeled", class_id: 8 }, PROJECT)).toBe("dog");
  expect(stateOf({ state: "labeled", class_id: null, boxes: 2 }, BOXES)).toBe("2 boxes");
  expect(stateOf({ state: "labeled", class_id: null, boxes: 0 }, BOXES)).toBe("Nothing in it");
  expect(stateOf({ state: "ood", class_id: null }, PROJECT)).toBe("None of the classes");
  expect(stateOf({ state: "ood", class_id: null }, BOXES)).toBe("Wrong kind of image");
  expect(stateOf({ state: "unlabeled", class_id: null }, PROJECT)).toBe("not looked at");
});

it("says what became of an image since, and nothing where nothing did", () => {
  expect(sinceOf({ since: null }, PROJECT)).toBeNull();
  expect(sinceOf({ since: { state: "labeled", class_id: 7, boxes: null } }, PROJECT)).toBe(
    "now cat",
  );
  expect(sinceOf({ since: { state: "queried", class_id: null, boxes: null } }, PROJECT)).toBe(
    "now in the queue",
  );
});
