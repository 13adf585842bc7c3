import { type RefObject, useCallback, useEffect, useState } from "react";
import { flushSync } from "react-dom";
import type { LabelClass } from "../../../api/types";
import type { Choice } from "../../../tasks/choice";
import { markKey } from "../../../ui/measure";
import type { States } from "../useComingUp";
import type { ShownClasses } from "../useShownClasses";
import { isComplete, withCopies } from "./groups";
import { type Group, idOf, isDone } from "./model";
import {
  clear,
  type Direction,
  move,
  NOTHING,
  nextOpen,
  rowsOf,
  type Selection,
  settle,
  targets,
  toggle,
  toggleAll,
} from "./selection";
import type { GridSession } from "./session";
import { type Layout, layoutOf, useColumns } from "./useLayout";

type Parts = {
  session: GridSession;
  layout: Layout;
  classes: LabelClass[];
  shownAt: (at: number) => ShownClasses;
  area: RefObject<HTMLElement | null>;
  states: States;
};

/** What the heading of a group offers to say of all the rest of it. */
export function proposalOf(group: Group): Choice | null {
  if (group.kind === "ood") return { verdict: "ood", classId: null };
  if (group.kind === "class") return { verdict: "label", classId: group.classId };
  return null;
}

/** What of a group gets the proposed verdict: all that is open and was not picked out. */
function restOf(group: Group, chosen: ReadonlySet<number>): number[] {
  const open = group.tiles.filter((tile) => !isDone(tile)).map(idOf);
  const rest = open.filter((id) => !chosen.has(id));
  return rest.length > 0 ? rest : open;
}

/** The selection, and everything that can be done with it. */
export function useGridActions({ session, layout, classes, shownAt, area, states }: Parts) {
  const [selection, setSelection] = useState<Selection>(NOTHING);
  /** How many got no verdict with the last key, as nobody had seen them. */
  const [unseen, setUnseen] = useState(0);
  const columns = useColumns(area);
  const { groups, order, open } = layout;

  useEffect(() => setSelection((now) => settle(now, order, open)), [order, open]);

  const answer = useCallback(
    async (wanted: number[], choice: Choice) => {
      markKey();
      // What nobody sees yet can be put off, and nothing else be said of it.
      const maySay = (id: number) => choice.verdict === "skip" || states.get(id) === "ready";
      const ids = wanted.filter(maySay);
      setUnseen(wanted.length - ids.length);
      const classesVersion = choice.classesVersion ?? shownAt(performance.now()).version;
      if (ids.length === 0 || !(await session.answer(ids, { ...choice, classesVersion }))) return;
      const after = layoutOf(session.getView().page, classes);
      const judged = new Set(ids);
      // With the verdicts, not after them: a key between the two would be about what is judged already.
      flushSync(() =>
        setSelection((now) => {
          const kept = new Set([...now.chosen].filter((id) => !judged.has(id)));
          const focus = nextOpen(after.order, after.open, now.focus);
          return { focus, anchor: focus, base: kept, chosen: kept };
        }),
      );
    },
    [session, classes, shownAt, states],
  );

  const groupOf = (id: number | null) =>
    groups.find((group) => group.tiles.some((tile) => idOf(tile) === id));

  return {
    selection,
    setSelection,
    unseen,
    // What was picked out is meant as it is; a key alone is for the picture, however often it is there.
    judge: (choice: Choice) => {
      const ids = targets(selection);
      const picked = selection.chosen.size > 0;
      void answer(picked ? ids : withCopies(session.getView().page, ids), choice);
    },
    confirm: (group: Group | undefined = groupOf(selection.focus)) => {
      if (!group) return;
      const choice = proposalOf(group);
      if (choice) void answer(restOf(group, selection.chosen), choice);
      else if (group.kind === "back") session.keep(group.tiles.map(idOf));
    },
    undo: () => {
      const back = session.undo();
      if (back.length === 0) return;
      setUnseen(0);
      const chosen = new Set(back);
      setSelection({ focus: back[0] ?? null, anchor: back[0] ?? null, base: chosen, chosen });
    },
    go: (direction: Direction, extend: boolean) => {
      // The keys would be lost in a group that leaves the page.
      const staying = groups.filter((group) => !isComplete(group));
      const rows = rowsOf(
        staying.map((group) => group.tiles.map(idOf)),
        columns(),
      );
      setSelection((now) => move(settle(now, rows.flat(), open), rows, direction, extend));
    },
    toggleFocus: () => setSelection((now) => (now.focus === null ? now : toggle(now, now.focus))),
    toggleGroup: (group: Group | undefined = groupOf(selection.focus)) => {
      const ids = group?.tiles.filter((tile) => !isDone(tile)).map(idOf) ?? [];
      if (ids.length > 0) setSelection((now) => toggleAll(now, ids));
    },
    clear: () => setSelection(clear),
  };
}
