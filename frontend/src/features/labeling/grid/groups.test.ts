import { expect, it } from "vitest";
import { deal, groupsOf, withCopies } from "./groups";
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
  return { subject, ...nothing, inside: null, picture: null, reopened: false, ...values };
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

it("puts copies of a picture side by side in the group of the first, and judges them by one key", () => {
  const page = [
    tile(1, { classId: 10, probability: 0.9, picture: 7 }),
    tile(2, { classId: 10, probability: 0.8 }),
    tile(3, { classId: 20, probability: 0.7 }),
    tile(4, { classId: 10, probability: 0.6, picture: 7 }),
    tile(5, { classId: 20, probability: 0.5, picture: 7 }),
    tile(6, { classId: 20, probability: 0.4, picture: 8 }),
  ];
  expect(shown(page)).toEqual([
    ["class-10", [1, 4, 5, 2]],
    ["class-20", [3, 6]],
  ]);
  expect(withCopies(page, [4])).toEqual([4, 1, 5]);
  expect(withCopies(page, [2])).toEqual([2]);
  expect(withCopies(page, [6])).toEqual([6]);
  // What has its verdict is left alone, and what was taken back stands by itself.
  const [first, ...others] = page as [Tile, ...Tile[]];
  const judged = { ...first, given: { verdict: "ood" } as Tile["given"] };
  expect(withCopies([judged, ...others], [4])).toEqual([4, 5]);
  expect(shown([{ ...first, reopened: true }, ...others])[0]).toEqual(["back", [1]]);
});
