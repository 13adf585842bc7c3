import type { LabelClass } from "../../api/types";
import { t } from "../../strings";
import { type Choice, LABELED } from "../choice";
import { nameOf } from "../classification/describe";
import { type Attributes, type Box, boxesOf, FLAGS } from "./model";

/** How many boxes a label has: "3 boxes". */
export const boxesSaid = (boxes: number): string =>
  boxes === 0 ? t.boxes.none : t.boxes.count(boxes);

/** The same of a label; null where it is none of boxes. */
export function saidOf(label: unknown): string | null {
  const boxes = boxesOf(label);
  return boxes && boxesSaid(boxes.length);
}

/** What was said, in a few words. */
export function describe(choice: Choice, classes: LabelClass[]): string {
  if (choice.verdict === "ood") return t.boxes.ood;
  const said = choice.verdict === LABELED ? saidOf(choice.label) : null;
  return said ?? nameOf(choice, classes);
}

/** The same where there is little room. */
export function short(choice: Choice, classes: LabelClass[]): string {
  if (choice.verdict === "ood") return t.boxes.oodShort;
  if (boxesOf(choice.label)?.length === 0) return t.boxes.noneShort;
  return t.label.strip.short[choice.verdict] ?? describe(choice, classes);
}

const rounded = (value: number): number => Math.round(10 * value) / 10;

export const sizeOf = ({ w, h }: Pick<Box, "w" | "h">): string => `${rounded(w)} × ${rounded(h)}`;

/** A value of an attribute as it is read. */
export function attributeValue(value: Attributes[string]): string {
  if (typeof value === "boolean") return value ? t.boxes.attributes.yes : t.boxes.attributes.no;
  return String(value);
}

/** So many attributes of a box are told with it; the others are in its list. */
const TOLD = 5;

/** All of a box in words, for those who hear it. */
export function describeBox(box: Box, name: string, place: number, of: number): string {
  const { says } = t.boxes;
  const flags = FLAGS.filter((flag) => box[flag]).map((flag) => t.boxes.flags[flag]);
  const at = says.box(place, of, name, sizeOf(box), rounded(box.x), rounded(box.y));
  const attributes = Object.entries(box.attributes ?? {}).slice(0, TOLD);
  const said = attributes.map(([name, value]) => `${name}: ${attributeValue(value)}`);
  return [at, ...flags, ...said].join(", ");
}
