import { expect, it } from "vitest";
import { transitionsOf } from "./transitions";

it("lists the changes that are suggested most often, without what stays", () => {
  const found = transitionsOf({
    class_ids: [7, 8, 9],
    transitions: [
      [90, 2, 8],
      [0, 50, 0],
      [5, 0, 5],
    ],
  });
  expect(found).toEqual([
    { given: 7, suggested: 9, count: 8, of: 100 },
    { given: 9, suggested: 7, count: 5, of: 10 },
    { given: 7, suggested: 8, count: 2, of: 100 },
  ]);
});

it("lists what is taken for OOD as well, and takes shares of all labels of a class", () => {
  const suggested = { class_ids: [7, 8], labels_of: [200, 50] };
  const found = transitionsOf({
    ...suggested,
    transitions: [
      [80, 20],
      [0, 50],
    ],
  });
  expect(found).toEqual([
    { given: 7, suggested: null, count: 100, of: 200 },
    { given: 7, suggested: 8, count: 20, of: 200 },
  ]);
});
