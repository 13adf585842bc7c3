import type { OodLeft, Round } from "../api/types";
import { FEWEST } from "./shares";

/** By how many answers the estimate was made that counts. */
export const answersOf = ({ count, by_random, by_purity }: OodLeft): number =>
  [by_random, by_purity].find((one) => one?.count === count)?.answers ?? FEWEST;

/** How many images of no class were left when a round closed; null where too few answers tell it. */
export function oodLeftOf({ ood_left: left }: Pick<Round, "ood_left">) {
  if (left?.count == null || answersOf(left) < FEWEST) return null;
  return { ...left, count: left.count };
}
