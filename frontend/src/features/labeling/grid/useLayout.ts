import { type RefObject, useCallback, useMemo } from "react";
import type { LabelClass } from "../../../api/types";
import { groupsOf } from "./groups";
import { type Group, idOf, isDone, type Tile } from "./model";

export type Layout = {
  groups: Group[];
  /** Everything on the page, as it is shown. */
  order: number[];
  /** What of it has no verdict, or one that was taken back. */
  open: ReadonlySet<number>;
};

export function layoutOf(page: readonly Tile[], classes: readonly LabelClass[]): Layout {
  const groups = groupsOf(page, new Set(classes.map((item) => item.id)));
  const order = groups.flatMap((group) => group.tiles.map(idOf));
  const open = new Set(page.filter((tile) => !isDone(tile)).map(idOf));
  return { groups, order, open };
}

export const useLayout = (page: readonly Tile[], classes: readonly LabelClass[]): Layout =>
  useMemo(() => layoutOf(page, classes), [page, classes]);

/** Tells how many images stand in a row now. */
export function useColumns(area: RefObject<HTMLElement | null>): () => number {
  return useCallback(() => {
    const list = area.current?.querySelector("[role=listbox]");
    return list ? getComputedStyle(list).gridTemplateColumns.split(" ").length : 1;
  }, [area]);
}
