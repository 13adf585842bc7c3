import { t } from "../../strings";
import type { OwnTraits } from "../spec";

export const traits: OwnTraits = {
  measure: "precision",
  emptyLabel: { type: "boxes", boxes: [], threshold: null },
  isDrawn: true,
  takeAway: () => ["coco", "yolo", "csv", "jsonl"],
  words: {
    none: () => ({ full: t.boxes.ood, short: t.boxes.oodShort, text: t.boxes.oodText }),
    labeled: () => t.boxes.either,
    counts: () => ({ labeled: t.projects.counts.in, none: t.projects.counts.wrongKind }),
    mine: () => ({
      inside: t.label.waiting.mine.inside.boxes,
      none: t.label.waiting.mine.ood.boxes,
    }),
    guide: () => ({
      title: t.label.guide.title,
      untold: null,
      none: t.boxes.ood,
      text: t.boxes.oodText,
    }),
  },
};
