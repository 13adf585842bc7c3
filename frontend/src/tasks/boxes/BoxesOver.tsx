import type { LabelClass } from "../../api/types";
import styles from "./BoxesOver.module.css";
import { rectToScreen, type Size } from "./geometry";
import type { Box } from "./model";

type BoxesOverProps = {
  boxes: readonly Pick<Box, "x" | "y" | "w" | "h" | "class_id">[];
  classes: readonly Pick<LabelClass, "id" | "colour">[];
  image: Size;
  /** How the image itself is drawn. */
  fit: "cover" | "contain";
  /** Such as what is proposed and not decided on. */
  dashed?: boolean;
  className?: string | undefined;
};

/** So many boxes of one image are drawn where it is small; more would be a carpet. */
const MOST = 300;

/** Boxes over an image that fills the same place. */
export function BoxesOver({ boxes, classes, image, fit, dashed, className }: BoxesOverProps) {
  const colours = new Map(classes.map(({ id, colour }) => [id, colour]));
  // In units that suit lines of a few pixels, whatever the image's size is.
  const scale = 1000 / Math.max(image.width, image.height, 1);
  const view = { k: scale, x: 0, y: 0 };
  return (
    <svg
      className={`${styles.over} ${className ?? ""}`}
      data-boxes={boxes.length}
      viewBox={`0 0 ${image.width * scale} ${image.height * scale}`}
      preserveAspectRatio={`xMidYMid ${fit === "cover" ? "slice" : "meet"}`}
      aria-hidden="true"
    >
      {boxes.slice(0, MOST).map((box, index) => {
        const { x, y, w, h } = rectToScreen(box, view);
        return (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes its order.
            key={index}
            x={x}
            y={y}
            width={w}
            height={h}
            stroke={colours.get(box.class_id) ?? "var(--ood)"}
            strokeDasharray={dashed ? "4 3" : undefined}
            vectorEffect="non-scaling-stroke"
          />
        );
      })}
    </svg>
  );
}
