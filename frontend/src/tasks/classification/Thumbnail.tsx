import type { CSSProperties } from "react";
import { Thumbnail as Example } from "../../media/Thumbnail";
import type { ThumbnailProps } from "../spec";
import styles from "./Thumbnail.module.css";

/** Images up to this side are shown themselves; after a reload the size is not known. */
const ITSELF_UP_TO = 512;

/** An example, small, with a band in the colour of its class. */
export function Thumbnail({ example, given, classes }: ThumbnailProps) {
  const colour = classes.find((one) => one.id === given.classId)?.colour;
  return (
    <>
      <Example
        example={example}
        itselfUpTo={ITSELF_UP_TO}
        crispUpTo="tiny"
        alt=""
        decoding="async"
        draggable={false}
      />
      <span
        className={styles.mark}
        data-mark=""
        data-verdict={given.verdict}
        style={colour ? ({ "--colour": colour } as CSSProperties) : undefined}
      />
    </>
  );
}
