import { useMemo, useRef } from "react";
import type { LabelClass, MapQuery } from "../../api/types";
import { decode } from "../../ui/map/lasso";
import type { Queried } from "../../ui/map/pick";
import type { Box } from "../../ui/map/plane";
import type { Content, Relief } from "../../ui/map/scene";
import type { DrawnTile } from "../../ui/map/tiles";
import { keyOf, marksOf } from "./useMap";

export type Drawn = { round: number; box: Box; content: Content; queries: Queried[] };

type Parts = {
  /** Whether everything below is of this round. */
  isReady: boolean;
  round: number;
  box: Box | null;
  tiles: DrawnTile[];
  relief: Relief | null;
  queries: MapQuery[];
  classes: LabelClass[];
  hidden: ReadonlySet<string>;
  outline: string | null;
};

/** What the map draws; until a round has come whole, the one before it. */
export function useContent(parts: Parts): Drawn | null {
  const { isReady, round, tiles, relief, queries, classes, hidden, outline } = parts;
  const last = useRef<Drawn | null>(null);
  // The same numbers are the same plane, however often they are computed.
  const corners = parts.box && [parts.box.x0, parts.box.x1, parts.box.y0, parts.box.y1].join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: `corners` stands for the box.
  const box = useMemo(() => parts.box, [corners]);
  const marked = useMemo(
    () =>
      marksOf(
        queries.filter((one) => !hidden.has(keyOf(one))),
        classes,
      ),
    [queries, classes, hidden],
  );
  const content = useMemo(
    (): Content => ({ tiles, relief, marks: marked.marks, outline: decode(outline) }),
    [tiles, relief, marked, outline],
  );
  if (isReady && box) last.current = { round, box, content, queries: marked.places };
  return last.current;
}
