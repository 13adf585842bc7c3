import { Thumbnail as Example } from "../../media/Thumbnail";
import { LABELED } from "../choice";
import type { ThumbnailProps } from "../spec";
import { BoxesOver } from "./BoxesOver";
import { boxesOf } from "./model";
import styles from "./Thumbnail.module.css";

/** Images up to this side are shown themselves; after a reload the size is not known. */
const ITSELF_UP_TO = 512;

/** An image, small, with the boxes that were drawn. */
export function Thumbnail({ example, given, classes }: ThumbnailProps) {
  const { width, height } = example;
  const boxes = given.verdict === LABELED ? boxesOf(given.label) : null;
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
      {boxes && width && height ? (
        <BoxesOver boxes={boxes} classes={classes} image={{ width, height }} fit="contain" />
      ) : (
        <span className={styles.mark} data-mark="" data-verdict={given.verdict} />
      )}
    </>
  );
}
