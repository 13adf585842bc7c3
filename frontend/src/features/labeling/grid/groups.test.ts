import { expect, it } from "vitest";
import { deal, groupsOf } from "./groups";
import { idOf, type Tile } from "./model";

function tile(id: number, values: Partial<Tile> = {}): Tile {
  const subject = {
    query_id: id,
    example_id: id,
    image_url: "",
    width: 8,
    height: 8,
    name: "",
  };
  const nothing = { leaseToken: null, given: null, classId: null, probability: null };
  return { subject, ...nothing, inside: null, reopened: false, ...values };
}

const KNOWN = new Set([10, 20]);
const shown = (page: Tile[]) =>
  groupsOf(page, KNOWN).map((group) => [group.key, group.tiles.map(idOf)]);

it("groups by prediction, the surest first, and puts what is likely OOD at the end", () => {
  const page = [
    tile(1, { classId: 10, probability: 0.9, inside: 0.2 }),
    tile(2, { classId: 20, probability: 0.6, inside: 0.9 }),
    tile(3, { classId: 10, probability: 0.7, inside: 0.9 }),
    tile(4, { classId: 20, probability: 0.8, inside: 0.9 }),
    tile(5, { classId: 20, probability: 0.9, inside: 0.1 }),
  ];
  expect(shown(page)).toEqual([
    ["class-20", [4, 2]],
    ["class-10", [3]],
    ["ood", [5, 1]],
  ]);
});

it("groups by class alone where nobody knows what is OOD", () => {
  expect(shown([tile(1, { classId: 10 }), tile(2, { classId: 10 })])).toEqual([
    ["class-10", [1, 2]],
  ]);
});

it("counts a class that is gone, and no prediction, as not predicted", () => {
  expect(shown([tile(1, { classId: 99, inside: 0.9 }), tile(2)])).toEqual([["none", [1, 2]]]);
});

it("puts what was taken back first", () => {
  const page = [tile(1, { classId: 10 }), tile(2, { classId: 10, reopened: true })];
  expect(shown(page)).toEqual([
    ["back", [2]],
    ["class-10", [1]],
  ]);
});

it("deals whole groups in the order of their best images", () => {
  const waiting = [10, 20, 10, 20, 10].map((classId, index) => tile(index, { classId }));
  const [page, rest] = deal(waiting, 3);
  expect(page.map(idOf)).toEqual([0, 2, 4]);
  expect(rest.map(idOf)).toEqual([1, 3]);
});
