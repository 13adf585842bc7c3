import { t } from "../strings";
import { managerWords as boxes } from "./boxes/managerWords";
import { managerWords as instructions } from "./instructions/managerWords";
import type { ManagerWords, OwnManagerWords } from "./spec";

/** What is said where a type of task has no words of its own. */
const USUAL: ManagerWords = {
  setup: () => ({
    basics: t.setup.basics,
    basicsHint: t.setup.basicsHint,
    guidelinesHint: t.setup.guidelinesHint,
    images: t.setup.images,
    imagesHint: t.setup.imagesHint,
    splitHints: t.setup.splitHints,
    goals: t.advice.goal.hints,
    costIn: t.setup.costIn,
    costOod: t.setup.costOod,
    paysFor: t.setup.paysFor,
    unlabeledHint: t.exports.unlabeledHint,
    withoutClass: t.setup.plan.withoutClass,
  }),
  check: ({ hints, goOn }) => ({ text: hints.classification, goOn: goOn.classification }),
  allExports: () => t.overview.allExports,
  formats: () => ({}),
};

const OWN: Partial<Record<string, OwnManagerWords>> = { boxes, instructions };

/** What is said of a type of task to who runs a project. */
export function managerWordsOf({ task }: { task: string }): ManagerWords {
  const own = OWN[task];
  return { ...USUAL, ...own, setup: () => ({ ...USUAL.setup(), ...own?.setup?.() }) };
}
