import { expect, it } from "vitest";
import type { LabelClass, MapQuery } from "../../api/types";
import { marksOf } from "./useMap";

it("marks what has nothing in it as itself, and a class in its colour", () => {
  const classes = [{ id: 7, name: "cat", colour: "#336699" }] as LabelClass[];
  const said = (known: Partial<MapQuery>) =>
    ({ purity: 0.5, informativeness: 0.5, class_id: null, boxes: null, ...known }) as MapQuery;
  const { marks } = marksOf(
    [
      said({ verdict: null }),
      said({ verdict: "ood" }),
      said({ verdict: "label", boxes: 0 }),
      said({ verdict: "label", boxes: 2 }),
      said({ verdict: "label", class_id: 7 }),
    ],
    classes,
  );
  // The best ranks are drawn last.
  expect(marks.map(({ shape, colour }) => [shape, colour])).toEqual([
    ["label", "#336699"],
    ["label", null],
    ["nothing", null],
    ["ood", null],
    ["none", null],
  ]);
});
