import { locale } from "../language";
import type { Choice } from "./inputSize";
import { plural } from "./words";

const number = (count: number): string => count.toLocaleString(locale);

/** What an import would do, before anything is stored. */
export const plan = {
  title: (name: string) => `Import ${name}?`,
  plans: "Imports that wait for your answer",
  groups: "What becomes of the images",
  sums: (
    sums: Record<"pool" | "evaluation" | "auxiliary_ood" | "left_out" | "refused", number>,
    rows: number,
  ) => {
    const parts = [
      sums.pool > 0 && `${number(sums.pool)} pool`,
      sums.evaluation > 0 && `${number(sums.evaluation)} evaluation`,
      sums.auxiliary_ood > 0 && `${number(sums.auxiliary_ood)} known to be none`,
      sums.left_out > 0 && `${number(sums.left_out)} left out`,
      sums.refused > 0 && `${number(sums.refused)} refused`,
      rows > 0 && `${plural(rows, "row", "rows")} about images that are there`,
    ].filter((part) => part !== false);
    return parts.length > 0 ? parts.join(", ") : "Nothing";
  },
  all: "All images",
  others: "All other images",
  more: "More folders or values",
  fixed: {
    pool: "Pool",
    evaluation: "Evaluation",
    auxiliary_ood: "Known to be none",
    left_out: "Left out",
    refused: "Refused",
  },
  images: (count: number) => plural(count, "image", "images"),
  row: (place: number) => `row ${number(place)}`,
  classes: (labels: string[]) => {
    const shown = labels.slice(0, 6).join(", ");
    return labels.length > 6
      ? `Classes: ${shown} and ${number(labels.length - 6)} more`
      : `Classes: ${shown}`;
  },
  label: (name: string, count: number) => `${name} ${number(count)}`,
  withoutClass: (count: number) =>
    `${number(count)} without a label that is a class: refused for evaluation`,
  becomes: (name: string) => `What becomes of ${name}`,
  choices: {
    pool: "Pool",
    evaluation: "Evaluation",
    auxiliary_ood: "Known to be none",
    class: "A class",
    leave_out: "Leave out",
  },
  makeClasses: (count: number) =>
    count === 1 ? "Make this a class" : `Make these ${number(count)} the classes`,
  classesByName: "Which of these names are classes?",
  makeSome: "Or tick some. What has no class is left to annotators, and cannot be evaluated on.",
  listedOnly:
    "Those with 0 are listed in what you sent, and no label is of them: without them, others get other numbers.",
  noEvaluation:
    "No evaluation image would come in, so accuracy could not be measured on any: their labels are no classes. Tick the classes above, or choose another split.",
  noEvaluationColumn:
    "No evaluation image would come in, so accuracy could not be measured on any: no column says what they are. Tick the column of their labels below, or choose another split.",
  noEvaluationLater:
    "No evaluation image would come in: their labels are no classes. Put it off, add the classes above the images, and continue.",
  columns: "Which of these are labels?",
  folderLabel: "The folder, or the column label",
  values: (readable: number, unreadable: number, values: string[]) => {
    if (readable === 0 && unreadable > 0)
      return `${plural(unreadable, "value", "values")}, none of which is a class yet: ${values.join(", ")}`;
    if (unreadable === 0) return `${plural(readable, "label", "labels")}: ${values.join(", ")}`;
    return `${values.join(", ")}: ${plural(readable, "label", "labels")} of your classes, and ${number(unreadable)} of none yet`;
  },
  valuesOfClasses: (count: number, values: string[]) =>
    `${plural(count, "label", "labels")}, of which those of the classes are taken: ${values.join(", ")}`,
  labelsNothing: (name: string, isElsewhere: boolean) =>
    `${name}: no image for the pool has a label that is a class${isElsewhere ? "; evaluation images keep theirs" : ""}.`,
  document: (name: string, format: string) => `${name} says something of the images (${format}).`,
  stated: (source: string, readable: number, unreadable: number) =>
    unreadable > 0
      ? `${source}: ${plural(readable, "label", "labels")}, and ${number(unreadable)} that cannot be read`
      : `${source}: ${plural(readable, "label", "labels")}`,
  bad: (count: number, reason: string) => `${number(count)} × ${reason}`,
  whyBad: "What cannot come in, and why?",
  needAnswer: "start or discard the import that waits for your answer",
  nothing: "Nothing of this would come in. Choose a split, or discard it.",
  notSeen: "Copies and damaged images are found while importing.",
  fixesSize: (size: number) => `The import fixes what the model sees at ${size} × ${size} pixels.`,
  choosesSize: ({ width, height, side, fit }: Choice) =>
    `Images are typically ${number(width)} × ${number(height)}; the model will see ${fit === "pad" ? "all of each within " : ""}${side} × ${side}. More pixels tell more, and take longer.`,
  start: "Import",
  later: "Not now",
  discard: "Discard",
  continue: "Continue",
  looking: "Looking through it",
  waits: "Waits for your answer",
  /** What became of one, by the answer it got. */
  answered: {
    started: "Answered: the import was started",
    discarded: "Answered: discarded",
    expired: "Nobody answered in time",
  } as Record<string, string>,
};
