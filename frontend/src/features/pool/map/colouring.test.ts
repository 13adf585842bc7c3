import { expect, it } from "vitest";
import type { LabelClass } from "../../../api/types";
import type { Palette } from "../../../ui/map/scene";
import {
  type Column,
  colouringsOf,
  coloursOf,
  decodeColumn,
  entriesOf,
  NONE,
  parseColour,
  ramp,
  rangeOf,
} from "./colouring";

const palette = {
  ink: "rgb(20, 20, 18)",
  gold: "rgb(219, 166, 41)",
  nothing: "rgb(143, 106, 30)",
  queued: "rgb(91, 127, 153)",
  points: [90, 90, 85],
} as unknown as Palette;
const classes = [
  { id: 7, name: "cat", colour: "#336699" },
  { id: 3, name: "dog", colour: "#aa0011" },
] as LabelClass[];
const naming = {
  classes,
  palette,
  states: {
    unlabeled: "Not looked at",
    queried: "In the queue",
    labeled: "Labeled",
    ood: "OOD",
    unsure: "Unsure",
    held_out: "Held out",
  },
  nothing: "Nothing in it",
  notScored: "Not scored",
  notAsked: "Not asked about",
  round: (number: number) => `Round ${number}`,
  kept: "Kept",
  dropped: "Dropped",
  notChosenFrom: "Not chosen from",
};
const categories = (...values: number[]): Column => ({
  kind: "categories",
  values: Int32Array.from(values),
});
const scores = (...values: number[]): Column => ({
  kind: "scores",
  values: Float32Array.from(values),
});

it("reads what the server sends", () => {
  const buffer = new ArrayBuffer(24);
  new Uint32Array(buffer).set([0, 2, 0, 0]);
  new Int32Array(buffer, 16).set([7, -3]);
  expect(decodeColumn(buffer)).toEqual(categories(7, -3));
  new Uint32Array(buffer).set([0, 2, 0, 1]);
  new Float32Array(buffer, 16).set([0.5, Number.NaN]);
  expect(decodeColumn(buffer)).toEqual(scores(0.5, Number.NaN));
});

it("names classes in their order, then states, and nothing known last", () => {
  const entries = entriesOf("state", [categories(-1, -3, 3, 7, -1), categories(-2, -4)], naming);
  expect(entries.map(({ name, count }) => [name, count])).toEqual([
    ["cat", 1],
    ["dog", 1],
    ["OOD", 1],
    ["Unsure", 1],
    ["In the queue", 1],
    ["Not looked at", 2],
  ]);
  expect(entries[0]?.colour).toEqual([0x33, 0x66, 0x99]);
});

it("tells images in which nothing is from those with boxes, and both from what nobody looked at", () => {
  const entries = entriesOf("state", [categories(-6, 0, -6, -3, -1)], naming);
  expect(entries.map(({ name, count }) => [name, count])).toEqual([
    ["Labeled", 1],
    ["Nothing in it", 2],
    ["OOD", 1],
    ["Not looked at", 1],
  ]);
  expect(entries.map(({ colour }) => colour)).toEqual([
    [219, 166, 41],
    [143, 106, 30],
    [20, 20, 18],
    palette.points,
  ]);
});

it("calls what no model or round has seen by its name", () => {
  const named = (by: "predicted" | "round", ...values: number[]) =>
    entriesOf(by, [categories(...values)], naming).map(({ name }) => name);
  expect(named("predicted", -1, 3)).toEqual(["dog", "Not scored"]);
  expect(named("round", 2, -1, 0)).toEqual(["Round 0", "Round 2", "Not asked about"]);
});

it("tells what a job keeps from what it drops, and from what it did not choose from", () => {
  const entries = entriesOf("selection", [categories(0, 1, -1, 0)], naming);
  expect(entries.map(({ name, count }) => [name, count])).toEqual([
    ["Kept", 1],
    ["Dropped", 2],
    ["Not chosen from", 1],
  ]);
  expect(colouringsOf("instructions", true)).toEqual(["selection", "state", "round"]);
  expect(colouringsOf("instructions", false)).toEqual(["state", "round"]);
  expect(colouringsOf("classification", false)).not.toContain("selection");
});

it("hides what the legend hides, and lets others shine through what is not known", () => {
  const column = categories(7, 3, -1);
  const entries = entriesOf("state", [column], naming);
  const colours = coloursOf(column, entries, new Set([3]), null, [90, 90, 85]);
  expect(colours[0]).toBe(0xff996633);
  expect(colours[1]).toBe(0);
  expect((colours[2] as number) >>> 24).toBeLessThan(255);
});

it("spreads the colours over the scores but for the outermost", () => {
  const values = Array.from({ length: 101 }, (_, index) => index / 100);
  const column = scores(...values, Number.NaN, 1e6);
  const range = rangeOf([column]) as [number, number];
  expect(range[0]).toBeCloseTo(0.02);
  expect(range[1]).toBeCloseTo(0.99);
  const colours = coloursOf(column, [], new Set(), range, [90, 90, 85]);
  const [blue, gold] = [ramp(0), ramp(1)];
  expect([...new Uint8Array(colours.buffer, 0, 3)]).toEqual(blue);
  expect([...new Uint8Array(colours.buffer, 4 * 102, 3)]).toEqual(gold);
  expect((colours[101] as number) >>> 24).toBeLessThan(255);
  expect(coloursOf(column, [], new Set([NONE]), range, [0, 0, 0])[101]).toBe(0);
  expect(rangeOf([scores(Number.NaN)])).toBeNull();
});

it("reads colours of classes and of the page", () => {
  expect(parseColour("#0a0B0c")).toEqual([10, 11, 12]);
  expect(parseColour("rgb(1, 2, 3)")).toEqual([1, 2, 3]);
});
