import { expect, it } from "vitest";
import { noneOf, stateNames, verdictNames } from "./stateNames";

it("says on every page of a finished project that nobody is asked any more", () => {
  expect(stateNames({ task: "classification", state: "running" }).queried).toBe("In the queue");
  expect(stateNames({ task: "boxes", state: "finished" }).queried).toBe(
    "Chosen, and never asked about",
  );
  expect(stateNames({ task: "instructions", state: "finished" }).queried).toBe(
    "Chosen, and never ranked",
  );
});

it("tells what has boxes from what has nothing in it, where labels are boxes", () => {
  const names = stateNames({ task: "boxes", state: "running" });
  expect(names).toMatchObject({
    labeled: "Labeled",
    objects: "With boxes",
    no_objects: "Nothing in it",
    ood: "Wrong kind of image",
  });
  expect(verdictNames({ task: "boxes" })).toEqual({
    label: "Boxes, or nothing in it",
    objects: "With boxes",
    no_objects: "Nothing in it",
    ood: "Wrong kind of image",
    unsure: "Unsure",
    skip: "Skip",
  });
  expect(verdictNames({ task: "instructions" })).toMatchObject({
    label: "Ranked by people",
    ood: "Not of this data",
  });
  for (const task of ["classification", "instructions"] as const) {
    expect(stateNames({ task, state: "running" })).not.toHaveProperty("no_objects");
    expect(verdictNames({ task })).not.toHaveProperty("no_objects");
  }
});

it("has one name for what is none of what is looked for, and one where there is little room", () => {
  expect(noneOf({ task: "classification" })).toEqual({
    full: "None of the classes",
    short: "None",
  });
  expect(noneOf({ task: "boxes" })).toMatchObject({
    full: "Wrong kind of image",
    short: "Wrong kind",
  });
  for (const task of ["classification", "boxes", "instructions"] as const) {
    const { full } = noneOf({ task });
    expect(stateNames({ task, state: "running" }).ood).toBe(full);
    expect(verdictNames({ task }).ood).toBe(full);
  }
});
