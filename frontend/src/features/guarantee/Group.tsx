import type { LabelClass } from "../../api/types";
import styles from "./Guarantee.module.css";
import { nameOf } from "./words";

type GroupProps = { classId: number | null; classes: readonly LabelClass[] };

/** What the model says of a group of images: a class in its colour, or none, hatched. */
export function Group({ classId, classes }: GroupProps) {
  const colour = classes.find(({ id }) => id === classId)?.colour;
  return (
    <span className={styles.group}>
      <i
        className={styles.swatch}
        data-ood={classId === null || undefined}
        style={colour ? { background: colour } : undefined}
      />
      {nameOf(classId, classes)}
    </span>
  );
}
