import { expect, it } from "vitest";
import { guarantee } from "./en/guarantee";
import { overview } from "./en/overview";
import { plan } from "./en/plan";
import { selection } from "./en/selection";

it("has the title of a method at the beginning of a sentence", () => {
  const said = selection.kept(1000, 5000, "20 %", "A random row of each cluster");
  expect(said).toBe("A random row of each cluster: 1,000 of 5,000 rows are kept (20 %).");
});

it("lists all names of a column before it says how many are of classes", () => {
  expect(plan.values(202, 98, ["sports", "science"])).toBe(
    "sports, science: 202 labels of your classes, and 98 of none yet",
  );
  expect(plan.values(2, 0, ["sports"])).toBe("2 labels: sports");
});

it("compares the last round with no better one that there is not", () => {
  const { inShare } = overview.outlook;
  expect(inShare("38 %", null, "11", "29")).toContain("no round had more");
  expect(inShare("38 %", "70 %", "11", "29")).toContain("in the best round 70 %");
});

it("says of a guarantee whether any of its checks can be answered now", () => {
  const { asking } = guarantee.start.lineStates;
  expect(asking(20, 224, 1)).toBe(
    "20 checks answered, about 224 more expected. 1 waits for an answer now.",
  );
  expect(asking(20, null, 0)).toBe("20 checks answered. None waits for an answer now.");
});
