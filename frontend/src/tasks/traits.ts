import { t } from "../strings";
import { traits as boxes } from "./boxes/traits";
import { traits as classification } from "./classification/traits";
import { traits as instructions } from "./instructions/traits";
import type { OwnTraits, TaskWords, Traits } from "./spec";

/** What is said where a type of task has no words of its own. */
const USUAL_WORDS: TaskWords = {
  none: () => ({ full: t.label.ood, short: t.grid.ood }),
  states: () => t.states.classes,
  labeled: () => t.pool.values.verdict.label,
  counts: () => ({ labeled: t.projects.counts.in, none: t.projects.counts.ood }),
  mine: () => ({
    inside: t.label.waiting.mine.inside.classification,
    none: t.label.waiting.mine.ood.classification,
  }),
  guide: () => ({
    title: t.label.guide.title,
    untold: null,
    none: t.label.ood,
    text: t.label.guide.ood,
  }),
};

/** What holds where a type of task does not say otherwise, as of those that packages bring. */
const USUAL: Traits = {
  namesOneClass: false,
  hasClasses: true,
  isLearned: true,
  measure: "accuracy",
  emptyLabel: null,
  isDrawn: false,
  isCurated: false,
  inGroups: false,
  hasParts: false,
  takeAway: () => ["csv", "jsonl"],
  words: USUAL_WORDS,
};

const of = ({ words, ...own }: OwnTraits): Traits => ({
  ...USUAL,
  ...own,
  words: { ...USUAL_WORDS, ...words },
});

/** Types of task that there are pages for. Light, as the first page asks too; `registry.ts` has what draws them. */
const KNOWN = {
  classification: of(classification),
  boxes: of(boxes),
  instructions: of(instructions),
};

export type KnownTask = keyof typeof KNOWN;

type OfTask = { task: string };

/** Whether there are pages to work on a type of task. */
export const hasTaskView = ({ task }: OfTask): boolean => Object.hasOwn(KNOWN, task);

/** What pages ask of a type of task instead of its name. */
export const traitsOf = ({ task }: OfTask): Traits =>
  hasTaskView({ task }) ? KNOWN[task as KnownTask] : USUAL;
