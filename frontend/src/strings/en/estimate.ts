import { locale } from "../language";
import { plural } from "./words";

const count = (value: number): string => value.toLocaleString(locale);

/** What the decisions of a review say of a job, of what is left, and of what was not suggested. */
export const estimate = {
  title: "What the decisions say",
  tooFew: (decided: number, fewest: number) =>
    `Too few decisions to tell yet how often the suggestions are right: ${count(decided)} of ${count(fewest)}.`,
  precision: (wrong: number, decided: number, share: string, low: string, high: string) =>
    `${count(wrong)} of ${plural(decided, "label", "labels")} decided on were wrong: ${share}. In the long run that is ${low} to ${high}.`,
  classes: (right: number, share: string) =>
    `The suggested class was right for ${count(right)} (${share}).`,
  left: (open: number, wrong: number) =>
    `Of the ${count(open)} left, about ${plural(wrong, "label is", "labels are")} wrong.`,
  goOn: (next: string) => `Go on: of those that come next, about ${next} are wrong.`,
  stop: (next: string, share: string) =>
    `You can stop: of those that come next, about ${next} are wrong, fewer than the ${share} that the job was to suggest from.`,
  audit: {
    waiting: (size: number) =>
      `${plural(size, "label that was not suggested was", "labels that were not suggested were")} drawn by chance, and come up in between.`,
    found: (wrong: number, decided: number, size: number) =>
      `Drawn by chance from what was not suggested: ${count(wrong)} of ${count(decided)} labels were wrong${decided < size ? `, ${count(size - decided)} are to come` : ""}.`,
    left: (labels: number, share: string, low: string, high: string) =>
      `So ${share} of the ${count(labels)} labels that were not suggested are wrong, at least ${low}, at most ${high}.`,
    action: (size: number) => `Check ${plural(size, "other", "others")}`,
    hint: "draws labels by chance among those that were not suggested, and asks about them in between: what is found says how many wrong labels are left.",
  },
  again: {
    action: "Judge again",
    hint: "runs the job anew: it learns from what was decided, and suggests none of these labels again.",
  },
};

/** Suggestions with the same two labels that look alike, decided on at once. */
export const alike = {
  mode: "Show",
  modes: { single: "One by one", groups: "Groups" },
  heading: (given: string, suggested: string, images: number) =>
    `${plural(images, "image", "images")}: label now ${given}, suggested ${suggested}`,
  image: (name: string) => `Decide on ${name} too`,
  out: "left out",
  chosen: (chosen: number, all: number) => `${count(chosen)} of ${count(all)}`,
  hint: "A key decides on all images of the group. Click those it is not true of first: they are left out, and come up one by one.",
  none: "No groups are left",
  noneText: "The other suggestions are alone of their kind. They come up one by one.",
  oneByOne: "Go on one by one",
  decided: (images: number, decision: string) =>
    `Last: ${plural(images, "image", "images")}, ${decision}`,
};
