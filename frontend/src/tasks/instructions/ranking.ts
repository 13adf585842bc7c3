import type { RankingLabel } from "./model";

/** Places so far, best first, those tied in the same one; what is wrong stands apart, and the rest is open. */
export type Ranking = {
  readonly order: readonly (readonly number[])[];
  readonly wrong: readonly number[];
};

export const NOTHING: Ranking = { order: [], wrong: [] };

/** Where an example is put: a place of its own before the one of that index, into that place, or elsewhere. */
export type Target = { before: number } | { into: number } | "wrong" | "open";

const isRanked = ({ order }: Ranking, id: number): boolean =>
  order.some((place) => place.includes(id));

export const isWrong = ({ wrong }: Ranking, id: number): boolean => wrong.includes(id);

/** The place of an example, from 1; null where it has none. */
export function placeOf({ order }: Ranking, id: number): number | null {
  const at = order.findIndex((place) => place.includes(id));
  return at < 0 ? null : at + 1;
}

/** What nothing is said of yet, in the order of the page. */
export const openOf = (ranking: Ranking, ids: readonly number[]): number[] =>
  ids.filter((id) => !isRanked(ranking, id) && !isWrong(ranking, id));

/** Next in the order of preference; what has been said of it already is taken back. */
export const pressed = (ranking: Ranking, id: number): Ranking =>
  isRanked(ranking, id) || isWrong(ranking, id)
    ? moved(ranking, id, "open")
    : moved(ranking, id, { before: ranking.order.length });

/** Wrong or harmful; once more takes it back. */
export const blamed = (ranking: Ranking, id: number): Ranking =>
  moved(ranking, id, isWrong(ranking, id) ? "open" : "wrong");

/** The last one shares the place of the one before it, or has its own again. Null where there is no other. */
export function tied({ order, wrong }: Ranking): Ranking | null {
  const last = order.at(-1);
  const id = last?.at(-1);
  if (last === undefined || id === undefined) return null;
  const others = order.slice(0, -1);
  if (last.length > 1) return { order: [...others, last.slice(0, -1), [id]], wrong };
  const before = others.at(-1);
  return before ? { order: [...others.slice(0, -1), [...before, id]], wrong } : null;
}

/** The one that was placed last, which goes first when it is taken back. */
export const lastOf = ({ order }: Ranking): number | null => order.at(-1)?.at(-1) ?? null;

/** An example put elsewhere. Indices count the places as they are before it is moved. */
export function moved(ranking: Ranking, id: number, to: Target): Ranking {
  const without = (ids: readonly number[]) => ids.filter((one) => one !== id);
  const places = ranking.order.map(without);
  const wrong = without(ranking.wrong);
  if (to === "wrong") wrong.push(id);
  else if (to !== "open" && "into" in to) places[to.into]?.push(id);
  else if (to !== "open") places.splice(to.before, 0, [id]);
  return { order: places.filter((place) => place.length > 0), wrong };
}

/** One place up or down: out of a tie, or past the place beside it. */
export function stepped(ranking: Ranking, id: number, by: -1 | 1): Ranking {
  const at = ranking.order.findIndex((place) => place.includes(id));
  if (at < 0) return ranking;
  const isAlone = ranking.order[at]?.length === 1;
  if (!isAlone) return moved(ranking, id, { before: by < 0 ? at : at + 1 });
  const before = by < 0 ? at - 1 : at + 2;
  return before < 0 || before > ranking.order.length ? ranking : moved(ranking, id, { before });
}

/** With all that is open in the last place, tied if it is several. */
export function completed(ranking: Ranking, ids: readonly number[]): Ranking {
  const open = openOf(ranking, ids);
  return open.length === 0 ? ranking : { ...ranking, order: [...ranking.order, open] };
}

/** What is sent; each example stands in it once. */
export const labelOf = ({ order, wrong }: Ranking): RankingLabel => ({
  type: "instructions",
  order: order.map((place) => [...place]),
  wrong: [...wrong],
});

/** What was said before, of these examples. */
export function rankingFrom(label: Ranking, ids: readonly number[]): Ranking {
  const known = (some: readonly number[]) => some.filter((id) => ids.includes(id));
  const order = label.order.map(known).filter((place) => place.length > 0);
  return { order, wrong: known(label.wrong) };
}

export const isSame = (a: Ranking, b: Ranking): boolean =>
  JSON.stringify(labelOf(a)) === JSON.stringify(labelOf(b));
