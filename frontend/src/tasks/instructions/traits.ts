import { t } from "../../strings";
import type { OwnTraits } from "../spec";

export const traits: OwnTraits = {
  hasClasses: false,
  isLearned: false,
  isCurated: true,
  inGroups: true,
  hasParts: true,
  takeAway: () => ["alpaca", "messages", "parquet", "rankings"],
  words: {
    none: () => ({ full: t.states.rankings.ood, short: t.states.rankings.ood }),
    states: () => t.states.rankings,
    labeled: () => t.states.rankings.labeled,
    counts: () => ({ labeled: t.projects.counts.ranked, none: null }),
    mine: () => ({
      inside: t.label.waiting.mine.inside.instructions,
      none: t.label.waiting.mine.ood.instructions,
    }),
    guide: () => {
      const { title, untold, none } = t.instructions.guide;
      return { title, untold, none: t.instructions.none, text: none };
    },
  },
};
