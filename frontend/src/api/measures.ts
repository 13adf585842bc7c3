import type { Round } from "./types";

/** How well images of any class are told from those of none, as a round has measured it. */
export type Telling = { auroc: number; error: number; inside: number; ood: number };

/** What the accuracy of a round was measured on. */
export const imagesOf = ({ metrics }: Round): number => Number(metrics.examples ?? 0);

/** What rounds are compared by where labels are no classes; accuracy has a place of its own. */
export type Headline = { name: string; value: number | null };

export const headlineOf = ({ metrics }: Round): Headline | null =>
  (metrics.headline as Headline | undefined) ?? null;

/** How much purity weighs against informativeness where the round's choice ends, in 0..1. */
export const purityWeightOf = ({ metrics }: Round): number | null =>
  (metrics.purity_weight as number | undefined) ?? null;

/**
 * About how many images were said to belong to a class, or to none: those that a round chose, or that were drawn of it.
 *
 * To purity, which is judged by them, one in which nothing is belongs to none.
 *
 * Verdicts of several annotators on one image are no images of their own.
 */
export function imagesSaid(
  { settings, chosen }: Round,
  { label, no_objects: nothing, ood } = chosen,
) {
  const overlap = (settings.overlap as number | undefined) ?? 1;
  return {
    inside: (label - nothing) / overlap,
    ood: (ood + nothing) / overlap,
    all: (label + ood) / overlap,
  };
}

/** By verdicts that the model had not learned from; of a project with one class, by other images. */
export const tellingOf = ({ metrics }: Round): Telling | null =>
  ((metrics.telling ?? metrics.purity_left_out) as Telling | null | undefined) ?? null;

const CHANCE = 0.65;
/** What a model that can tell reaches easily; to 80 %, this one does not. */
const WELL = 0.8;
const Z80 = 1.281552;
const ENOUGH = 10;

/**
 * Whether the model hardly knows which images belong to a class, which chance would get right half the time.
 *
 * Images that were asked about because they are alike say nothing of it: among them any model is near chance.
 */
export function cannotTell(round: Round): boolean {
  const found = tellingOf(round);
  if (found === null || Math.min(found.inside, found.ood) < ENOUGH) return false;
  return found.auroc < CHANCE && found.auroc + Z80 * found.error < WELL;
}
