import type { Project } from "../../api/types";
import { t } from "../../strings";
import type { Part } from "../../ui/Meter";

/** What the pool of a project divides into, by what was said of it. */
export function poolParts({ counts, state, task }: Project): Part[] {
  const parts = task === "instructions" ? t.overview.ranking.parts : t.overview.parts;
  // Whoever goes on with a finished project finds its last queue as it was; until then it asks nobody.
  const isOver = state === "finished";
  const queue: Part[] = [
    {
      label: isOver ? parts.neverAsked : parts.queried,
      value: counts.queried,
      tone: "queried",
    },
  ];
  return [
    { label: parts.labeled, value: counts.labeled_in, tone: "in" },
    { label: parts.ood, value: counts.labeled_ood, tone: "ood" },
    { label: parts.unsure, value: counts.unsure, tone: "unsure" },
    ...(isOver && counts.queried === 0 ? [] : queue),
    { label: parts.unlabeled, value: counts.unlabeled, tone: "rest" },
  ];
}
