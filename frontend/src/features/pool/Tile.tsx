import type { CSSProperties, MouseEvent } from "react";
import type { Sort } from "../../api/pool";
import type { Example, ExampleState, LabelClass, Project } from "../../api/types";
import { Thumbnail } from "../../media/Thumbnail";
import type { Sought } from "../../media/text/words";
import { t } from "../../strings";
import { LabelOver } from "../../tasks/boxes/LabelOver";
import { RowThumbnail } from "../../tasks/instructions/RowThumbnail";
import { saidOf } from "../../tasks/said";
import { noneOf } from "../../tasks/stateNames";
import { traitsOf } from "../../tasks/traits";
import { isLikelyOod } from "../../ui/likelyOod";
import styles from "./Tile.module.css";

type TileProps = {
  example: Example;
  classes: LabelClass[];
  task: Project["task"];
  /** What states are called. */
  states: Record<ExampleState, string>;
  sort: Sort;
  isPicked: boolean;
  isActive: boolean;
  isOpen: boolean;
  style: CSSProperties;
  /** Words that were looked for. */
  marked: readonly Sought[];
  onClick: (event: MouseEvent) => void;
};

export const tileId = (example: Example): string => `image-${example.id}`;

export function Tile(props: TileProps) {
  const { example, classes, task, states, sort, isPicked, isActive, isOpen } = props;
  const { style, marked, onClick } = props;
  const state = states[example.state];
  const none = noneOf({ task }).short;
  const label = classes.find((one) => one.id === example.label_class_id);
  // No model tells the wrong kind of image from one in which nothing is.
  const likelyNone = traitsOf({ task }).emptyLabel ? t.boxes.noneShort : none;
  const predicted = isLikelyOod(example.in_probability)
    ? likelyNone
    : classes.find((one) => one.id === example.predicted_class_id)?.name;
  // A caption is narrow: what the state is called is told in the title.
  const told = example.state === "ood" ? none : state;
  const guess = example.state === "unlabeled" && predicted ? `${predicted}?` : told;
  const shown = label?.name ?? saidOf(example.whole_label) ?? guess;
  const besides = shown === told ? null : shown;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list box has the focus and the keys.
    // biome-ignore lint/a11y/useFocusableInteractive: likewise; an option is active, not focused.
    <div
      id={tileId(example)}
      role="option"
      aria-selected={isPicked}
      // What a text says is its name.
      aria-label={
        typeof example.excerpt === "string" ? undefined : t.pool.tile(example.name, told, besides)
      }
      title={t.pool.tile(example.name, state, besides)}
      className={styles.tile}
      data-active={isActive || undefined}
      data-open={isOpen || undefined}
      style={style}
      onClick={onClick}
    >
      <span className={styles.frame}>
        {example.fields ? (
          <RowThumbnail fields={example.fields} marked={marked} />
        ) : (
          <Thumbnail
            example={example}
            size={256}
            marked={marked}
            alt=""
            loading="lazy"
            decoding="async"
            draggable={false}
          />
        )}
        <LabelOver example={example} label={example.whole_label} classes={classes} />
        <span className={styles.pick} data-pick="" aria-hidden="true">
          <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
            <path d="m3.5 8.5 3 3 6-7" />
          </svg>
        </span>
      </span>
      <span className={styles.caption}>
        <span
          className={styles.mark}
          data-state={example.state}
          style={label && { background: label.colour }}
        />
        <span className={styles.text}>{shown}</span>
        {sort !== "pool_index" && <span className={styles.value}>{scoreOf(example, sort)}</span>}
      </span>
    </div>
  );
}

function scoreOf(example: Example, sort: Sort): string {
  const value = example[sort.replace("-", "") as Exclude<Sort, `-${string}` | "pool_index">];
  return value === null ? "" : value.toFixed(2);
}
