import type { LabelClass } from "../../api/types";
import type { Small } from "../../media/spec";
import { BoxesOver } from "./BoxesOver";
import { boxesOf } from "./model";

type LabelOverProps = {
  example: Pick<Small, "width" | "height">;
  /** Of any type of task; nothing is drawn of what has no place. */
  label: unknown;
  classes: readonly LabelClass[];
  /** The class whose boxes alone are drawn. */
  only?: number | undefined;
};

/** The boxes of a label over an image that is all shown in the same place. */
export function LabelOver({ example, label, classes, only }: LabelOverProps) {
  const { width, height } = example;
  const boxes = boxesOf(label);
  if (!boxes || !width || !height) return null;
  const drawn = only === undefined ? boxes : boxes.filter((box) => box.class_id === only);
  return <BoxesOver boxes={drawn} classes={classes} image={{ width, height }} fit="contain" />;
}
