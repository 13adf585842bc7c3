import { expect, it } from "vitest";
import type { LabelClass } from "../api/types";
import { matching } from "./find";

const names = ["Steppe eagle", "Eagle owl", "Sea-eagle", "Beagle", "Épervier"];
const classes: LabelClass[] = names.map((name, id) => ({
  id,
  name,
  colour: "#000000",
  hotkey: null,
  position: id,
  guide: "",
}));
const found = (typed: string) => matching(classes, typed).map(({ name }) => name);

it("finds classes by the beginning of their name, then of a word, then by any part", () => {
  expect(found("eag")).toEqual(["Eagle owl", "Steppe eagle", "Sea-eagle", "Beagle"]);
  expect(found("  EPER ")).toEqual(["Épervier"]);
  expect(found("")).toEqual(names);
  expect(found("hawk")).toEqual([]);
});
