import { imagesSaid } from "../api/measures";
import type { OodLeft, Round } from "../api/types";
import { t } from "../strings";
import { FEWEST, type Known, shareOf } from "./shares";

const { oodLeft: text } = t.overview;

/** What the estimate that counts was made by, and by how many answers. */
export function basisOf({ count, by_random, by_purity }: OodLeft) {
  const isRandom = by_random?.count === count;
  const { answers } = (isRandom ? by_random : by_purity) ?? { answers: FEWEST };
  return { name: isRandom ? text.byRandom : text.byPurity, answers };
}

/** How many images of no class were left when a round closed; null where too few answers tell it. */
export function oodLeftOf({ ood_left: left }: Pick<Round, "ood_left">) {
  if (left?.count == null || basisOf(left).answers < FEWEST) return null;
  return { ...left, count: left.count };
}

/** An estimate that enough answers tell. */
export const told = (one: OodLeft["by_random"] | undefined) =>
  one && one.answers >= FEWEST ? one : null;

/** The share of the classes in the pool, by what round 0 drew at random, where that tells what is left. */
export function poolShareOf(first: Round | undefined): Known | null {
  if (!first?.drawn || !told(first.ood_left?.by_random)) return null;
  const { inside, all } = imagesSaid(first, first.drawn);
  return shareOf(inside, all);
}
