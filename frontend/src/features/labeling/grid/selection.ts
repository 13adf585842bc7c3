/**
 * What is chosen of a page, and where the keys are.
 *
 * A range goes from `anchor` to the focus and is added to `base`, which is what was chosen before it;
 * so a range that shrinks again lets go of what it had taken.
 */
export type Selection = {
  focus: number | null;
  anchor: number | null;
  base: ReadonlySet<number>;
  chosen: ReadonlySet<number>;
};

export type Direction = "left" | "right" | "up" | "down";

const EMPTY: ReadonlySet<number> = new Set();

export const NOTHING: Selection = { focus: null, anchor: null, base: EMPTY, chosen: EMPTY };

const settled = (chosen: ReadonlySet<number>, focus: number | null): Selection => ({
  focus,
  anchor: focus,
  base: chosen,
  chosen,
});

/** Go there; what is chosen stays. */
export const focusOn = (selection: Selection, id: number): Selection =>
  settled(selection.chosen, id);

/** Choose one more, or one less. */
export function toggle(selection: Selection, id: number): Selection {
  const chosen = new Set(selection.chosen);
  if (!chosen.delete(id)) chosen.add(id);
  return settled(chosen, id);
}

/** Choose everything from the anchor to `id`, in the order of the page. */
export function extendTo(selection: Selection, order: readonly number[], id: number): Selection {
  const anchor = selection.anchor ?? order[0] ?? id;
  const [from, to] = [order.indexOf(anchor), order.indexOf(id)].sort((a, b) => a - b);
  const range = order.slice(Math.max(from ?? 0, 0), (to ?? 0) + 1);
  const chosen = new Set([...selection.base, ...range]);
  return { focus: id, anchor, base: selection.base, chosen };
}

/** Add what a rubber band has caught to what was chosen before it. */
export const band = (selection: Selection, ids: readonly number[]): Selection => ({
  ...selection,
  chosen: new Set([...selection.base, ...ids]),
});

/** The band is let go. */
export const release = (selection: Selection): Selection =>
  settled(selection.chosen, [...selection.chosen].at(-1) ?? selection.focus);

/** Choose all of these, or none if all are chosen already. */
export function toggleAll(selection: Selection, ids: readonly number[]): Selection {
  const chosen = new Set(selection.chosen);
  const all = ids.every((id) => chosen.has(id));
  for (const id of ids) {
    if (all) chosen.delete(id);
    else chosen.add(id);
  }
  return settled(chosen, selection.focus);
}

export const clear = (selection: Selection): Selection => settled(EMPTY, selection.focus);

/** Lay each group out in rows. */
export function rowsOf(groups: readonly (readonly number[])[], columns: number): number[][] {
  const width = Math.max(1, columns);
  return groups.flatMap((ids) =>
    Array.from({ length: Math.ceil(ids.length / width) }, (_, row) =>
      ids.slice(row * width, (row + 1) * width),
    ),
  );
}

/** Move the focus by one image; with `extend` what it passes is chosen. */
export function move(
  selection: Selection,
  rows: readonly (readonly number[])[],
  direction: Direction,
  extend: boolean,
): Selection {
  const order = rows.flat();
  const next = neighbour(rows, order, selection.focus, direction);
  if (next === undefined) return selection;
  return extend ? extendTo(selection, order, next) : focusOn(selection, next);
}

function neighbour(
  rows: readonly (readonly number[])[],
  order: readonly number[],
  focus: number | null,
  direction: Direction,
): number | undefined {
  const at = focus === null ? -1 : order.indexOf(focus);
  if (focus === null || at < 0) return order[0];
  if (direction === "left" || direction === "right")
    return order[at + (direction === "left" ? -1 : 1)];
  const row = rows.findIndex((ids) => ids.includes(focus));
  const target = rows[row + (direction === "up" ? -1 : 1)];
  const column = rows[row]?.indexOf(focus) ?? 0;
  return target?.[Math.min(column, target.length - 1)];
}

/** What a verdict is about: what is chosen, or else where the keys are. */
export function targets(selection: Selection): number[] {
  if (selection.chosen.size > 0) return [...selection.chosen];
  return selection.focus === null ? [] : [selection.focus];
}

/**
 * After the page has changed: what has gone is not chosen, and the focus is on an open image.
 *
 * @param order Everything on the page, in its order.
 * @param open What of it has no verdict yet.
 */
export function settle(
  selection: Selection,
  order: readonly number[],
  open: ReadonlySet<number>,
): Selection {
  const present = new Set(order);
  const chosen = new Set([...selection.chosen].filter((id) => present.has(id)));
  const base = new Set([...selection.base].filter((id) => present.has(id)));
  const { focus, anchor } = selection;
  const kept = focus !== null && present.has(focus) ? focus : (firstOpen(order, open) ?? null);
  const held = anchor !== null && present.has(anchor) ? anchor : kept;
  return { focus: kept, anchor: held, base, chosen };
}

/** The next image without a verdict, from `after` on and then from the beginning. */
export function nextOpen(
  order: readonly number[],
  open: ReadonlySet<number>,
  after: number | null,
): number | null {
  const at = after === null ? 0 : Math.max(0, order.indexOf(after));
  return firstOpen(order.slice(at), open) ?? firstOpen(order, open) ?? null;
}

const firstOpen = (order: readonly number[], open: ReadonlySet<number>): number | undefined =>
  order.find((id) => open.has(id));
