import { useWindowVirtualizer } from "@tanstack/react-virtual";
import {
  type CSSProperties,
  type KeyboardEvent,
  type MouseEvent,
  useEffect,
  useRef,
  useState,
} from "react";
import type { Sort } from "../../api/pool";
import type { Example, Project } from "../../api/types";
import { useMedium } from "../../media/MediumContext";
import type { Sought } from "../../media/text/words";
import { t } from "../../strings";
import type { Medium } from "../../strings/medium";
import { stateNames } from "../../tasks/stateNames";
import { isElsewhere, keyOf } from "../../ui/hotkeys";
import { Failure } from "../../ui/State";
import { useKeyDown } from "../../ui/useKeyDown";
import { useWidth } from "../../ui/useWidth";
import { canLook } from "./Pictured";
import styles from "./PoolScreen.module.css";
import { Tile, tileId } from "./Tile";
import type { Picked } from "./useSelection";

export const GRID_ID = "pool-grid";
/** Whether the grid is to have the focus as soon as it is there. */
let isAwaited = false;

/** Give the grid the focus, at once or, while images are being found, then. */
export function focusGrid(): void {
  const grid = document.getElementById(GRID_ID);
  grid?.focus({ preventScroll: true });
  isAwaited = grid === null;
}

/** Have the grid of what is found next take the focus, unless somebody has gone elsewhere by then. */
export function awaitGrid(): void {
  isAwaited = true;
}

const GAP = 8;
/** A card that is so wide needs fewer lines. */
const WIDE = 320;
/** How narrow a tile may be, how many there are in a row at least, and how high each is. */
const LAYOUT: Record<Medium, { narrowest: number; least: number; high: (side: number) => number }> =
  {
    image: { narrowest: 128, least: 2, high: (side) => side },
    text: { narrowest: 250, least: 1, high: (side) => (side > WIDE ? 98 : 116) },
  };
const CAPTION = 28;

type PoolGridProps = {
  examples: Example[];
  project: Project;
  sort: Sort;
  selection: Picked;
  /** Words that were looked for. */
  marked: readonly Sought[];
  /** The one that is shown large. */
  image: number | null;
  more: boolean;
  /** Why no more could be had. */
  error: Error | null;
  searched: number;
  isLoading: boolean;
  onMore: () => void;
  onOpen: (id: number | null) => void;
  onSimilar: (ids: number[]) => void;
};

/** The images as a list box of rows, of which only those in view are in the page. */
export function PoolGrid(props: PoolGridProps) {
  const { examples, selection, image, more, error, isLoading, onMore, onOpen, onSimilar } = props;
  const states = stateNames(props.project);
  const ref = useRef<HTMLDivElement>(null);
  const width = useWidth(ref);
  const { narrowest, least, high } = LAYOUT[useMedium()];
  const columns = Math.max(least, Math.floor((width + GAP) / (narrowest + GAP)));
  const side = (width - GAP * (columns - 1)) / columns;
  const height = high(side) + CAPTION;
  const [active, setActive] = useState(0);
  const rows = useWindowVirtualizer({
    count: width ? Math.ceil(examples.length / columns) : 0,
    estimateSize: () => height + GAP,
    overscan: 4,
    scrollMargin: ref.current?.offsetTop ?? 0,
  });
  const shown = rows.getVirtualItems();
  const lastShown = ((shown.at(-1)?.index ?? -1) + 1) * columns;

  // biome-ignore lint/correctness/useExhaustiveDependencies: the sizes of rows follow the width.
  useEffect(() => rows.measure(), [height]);
  useEffect(() => {
    const isNear = width > 0 && lastShown >= examples.length - 4 * columns;
    if (more && !error && !isLoading && isNear) onMore();
  }, [more, error, isLoading, width, lastShown, examples.length, columns, onMore]);
  useEffect(() => {
    // Whoever has gone to something else meanwhile stays there.
    if (isAwaited && document.activeElement === document.body) focusGrid();
    isAwaited = false;
  }, []);
  // Whoever leafs through the large images finds the place again.
  useEffect(() => {
    const index = image === null ? -1 : examples.findIndex((one) => one.id === image);
    if (index >= 0) setActive(index);
  }, [image, examples]);

  const goTo = (index: number) => {
    const next = Math.max(0, Math.min(examples.length - 1, index));
    setActive(next);
    rows.scrollToIndex(Math.floor(next / columns), { align: "auto" });
    if (image !== null) onOpen(examples[next]?.id ?? null);
    return next;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // What says something of the image that is shown large is no key of the grid's, nor is X before it can.
    if (event.defaultPrevented || isElsewhere(event.nativeEvent)) return;
    const key = keyOf(event);
    const steps: Record<string, number> = {
      arrowleft: -1,
      arrowright: 1,
      arrowup: -columns,
      arrowdown: columns,
      k: -1,
      j: 1,
      pageup: -4 * columns,
      pagedown: 4 * columns,
      home: -examples.length,
      end: examples.length,
    };
    const step = steps[key];
    if (step !== undefined) {
      if (event.shiftKey && selection.ids.size === 0) selection.toggle(active);
      const next = goTo(active + step);
      if (event.shiftKey) selection.extend(next);
    } else if (key === " " || (key === "x" && image === null)) {
      selection.toggle(active);
    } else if (key === "s") {
      const [at] = examples.slice(active, active + 1);
      if (selection.ids.size > 0 || at) {
        onSimilar(selection.ids.size > 0 ? [...selection.ids] : [at?.id ?? 0]);
      }
    } else if (key === "enter") {
      onOpen(examples[active]?.id ?? null);
    } else if (key === "escape") {
      if (image !== null) onOpen(null);
      else selection.clear();
    } else return;
    event.preventDefault();
  };
  // The keys are named on the page, so they work before anybody has gone into the grid; arrows scroll till then.
  useKeyDown((event) => {
    if (document.activeElement !== document.body || isElsewhere(event)) return;
    if (!["j", "k"].includes(keyOf(event))) return;
    event.preventDefault();
    focusGrid();
  });
  const onClick = (event: MouseEvent, index: number) => {
    setActive(index);
    const picks = (event.target as Element).closest("[data-pick]") !== null;
    if (event.shiftKey) selection.extend(index);
    else if (picks || event.ctrlKey || event.metaKey) selection.toggle(index);
    else onOpen(examples[index]?.id ?? null);
  };

  return (
    <>
      <p id="pool-keys" className={styles.keys}>
        {canLook(props.project) ? t.pool.keys : t.pool.keysUnlit}
        <span className="visually-hidden"> {t.pool.keysOfLarge}</span>
      </p>
      <div
        ref={ref}
        id={GRID_ID}
        className={styles.grid}
        role="listbox"
        aria-label={t.pool.grid}
        aria-multiselectable="true"
        aria-describedby="pool-keys"
        aria-activedescendant={examples[active] && tileId(examples[active])}
        tabIndex={0}
        style={{ height: rows.getTotalSize() }}
        onKeyDown={onKeyDown}
      >
        {shown.flatMap((row) =>
          examples.slice(row.index * columns, (row.index + 1) * columns).map((example, place) => {
            const index = row.index * columns + place;
            return (
              <Tile
                key={example.id}
                example={example}
                classes={props.project.classes}
                task={props.project.task}
                states={states}
                sort={props.sort}
                marked={props.marked}
                isPicked={selection.all || selection.ids.has(example.id)}
                isActive={index === active}
                isOpen={example.id === image}
                style={
                  {
                    "--lines": side > WIDE ? 4 : 5,
                    width: side,
                    height,
                    transform: `translate(${place * (side + GAP)}px, ${row.start - rows.options.scrollMargin}px)`,
                  } as CSSProperties
                }
                onClick={(event) => onClick(event, index)}
              />
            );
          }),
        )}
      </div>
      {more && error && !isLoading ? (
        <Failure error={error} onRetry={onMore} />
      ) : (
        <p className={styles.end} role="status">
          {more ? t.pool.searching(props.searched) : endOf(props.sort)}
        </p>
      )}
    </>
  );
}

const endOf = (sort: Sort): string =>
  sort === "pool_index" || sort.endsWith("similarity") ? t.pool.end : t.pool.endOfScored;
