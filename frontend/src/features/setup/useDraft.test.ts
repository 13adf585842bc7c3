import { expect, it } from "vitest";
import { changes } from "./useDraft";

const saved = { name: "Birds", cost: { inside: 1, ood: 2 }, subset: null as number | null };

it("takes what differs, and nothing of what does not", () => {
  expect(changes(saved, { ...saved, name: "Owls" })).toEqual({ name: "Owls" });
  expect(changes(saved, { ...saved, cost: { inside: 1, ood: 4 } })).toEqual({
    cost: { inside: 1, ood: 4 },
  });
  expect(changes({ ...saved, subset: 7 }, saved)).toEqual({ subset: null });
});

it("takes nothing where everything is as it was, in whatever order", () => {
  expect(changes(saved, { ...saved, cost: { ood: 2, inside: 1 } })).toEqual({});
});
