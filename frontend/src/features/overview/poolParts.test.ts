import { expect, it } from "vitest";
import type { Project } from "../../api/types";
import { poolParts } from "./poolParts";

function parts(state: Project["state"], task: Project["task"] = "classification", queried = 3) {
  const counts = { labeled_in: 5, no_objects: 2, labeled_ood: 2, unsure: 1, queried, unlabeled: 4 };
  return poolParts({ state, task, counts } as unknown as Project).map(({ label, value }) => [
    label,
    value,
  ]);
}

it("says of a finished project that what is left of its queue was never asked about", () => {
  expect(parts("running")[3]).toEqual(["In the queue", 3]);
  expect(parts("paused")[3]).toEqual(["In the queue", 3]);
  expect(parts("finished")[3]).toEqual(["Chosen, and never asked about", 3]);
  expect(parts("finished", "instructions")[3]).toEqual(["Chosen, and never ranked", 3]);
  expect(parts("finished", "classification", 0)[3]).toEqual(["Not looked at", 4]);
  expect(parts("running", "classification", 0)[3]).toEqual(["In the queue", 0]);
});

it("tells images in which nothing is from those with boxes", () => {
  expect(parts("running", "boxes").slice(0, 3)).toEqual([
    ["With boxes", 3],
    ["Nothing in it", 2],
    ["Wrong kind of image", 2],
  ]);
  expect(parts("running")[0]).toEqual(["Labeled", 5]);
});

it("tells what a queue is as long as people are asked, and not of rows", () => {
  const termOf = (state: Project["state"], task: Project["task"]) =>
    poolParts({ state, task, counts: { queried: 3 } } as unknown as Project).find(
      ({ tone }) => tone === "queried",
    )?.term;
  expect(termOf("running", "boxes")).toBe("queue");
  expect(termOf("finished", "boxes")).toBeNull();
  expect(termOf("running", "instructions")).toBeNull();
});
