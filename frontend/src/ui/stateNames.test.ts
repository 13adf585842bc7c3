import { expect, it } from "vitest";
import { stateNames } from "./stateNames";

it("says on every page of a finished project that nobody is asked any more", () => {
  expect(stateNames({ task: "classification", state: "running" }).queried).toBe("In the queue");
  expect(stateNames({ task: "boxes", state: "finished" }).queried).toBe(
    "Chosen, and never asked about",
  );
  expect(stateNames({ task: "instructions", state: "finished" }).queried).toBe(
    "Chosen, and never ranked",
  );
});
