import type { PruneResult } from "../../api/results";
import { t } from "../../strings";
import type { Figure } from "../../ui/Figures";
import { formatCost, formatPercent } from "../../ui/format";

/** The share to a tenth of a percent, never more than it is: it is told as the least. */
const atLeast = (share: number): string => formatPercent(Math.floor(1000 * share) / 1000);

type Reached = { figures: Figure[]; meaning: string | null };

/** How far a method came with what it maximises; null for one that maximises nothing. */
export function reachedOf({ objective, extras = {}, kept }: PruneResult): Reached | null {
  const { subset: text } = t.jobs;
  const value = extras.objective ?? objective.at(-1)?.[1];
  if (value === undefined) return null;
  const reached: Figure = [text.reached, formatCost(value)];
  const { upper_bound, guaranteed } = extras;
  if (upper_bound === undefined || guaranteed === undefined) {
    return { figures: [reached], meaning: null };
  }
  const isBest = guaranteed >= 1;
  const [bound, share] = [formatCost(upper_bound), atLeast(guaranteed)];
  return {
    figures: [
      reached,
      [text.bound, bound],
      [text.guaranteed, isBest ? text.optimum : text.atLeast(share)],
    ],
    meaning: isBest ? text.isOptimum(kept) : text.ofOptimum(kept, bound, share),
  };
}
