import type { LabelClass } from "../../api/types";
import { t } from "../../strings";
import { type Choice, LABELED } from "../choice";
import { nameOf } from "../classification/describe";
import { type Box, boxesOf, FLAGS } from "./model";

/** What was said, in a few words: "3 boxes". */
export function describe(choice: Choice, classes: LabelClass[]): string {
  const boxes = choice.verdict === LABELED ? boxesOf(choice.label) : null;
  if (boxes === null) return nameOf(choice, classes);
  return boxes.length === 0 ? t.boxes.none : t.boxes.count(boxes.length);
}

const rounded = (value: number): number => Math.round(10 * value) / 10;

export const sizeOf = ({ w, h }: Pick<Box, "w" | "h">): string => `${rounded(w)} × ${rounded(h)}`;

/** All of a box in words, for those who hear it. */
export function describeBox(box: Box, name: string, place: number, of: number): string {
  const { says } = t.boxes;
  const flags = FLAGS.filter((flag) => box[flag]).map((flag) => t.boxes.flags[flag]);
  const at = says.box(place, of, name, sizeOf(box), rounded(box.x), rounded(box.y));
  return [at, ...flags].join(", ");
}
