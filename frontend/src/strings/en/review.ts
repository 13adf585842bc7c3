import { locale } from "../language";
import { plural } from "./words";

const count = (value = 0): string => value.toLocaleString(locale);

export const review = {
  title: "Review:",
  progress: "Decided",
  of: (done: number, total: number) =>
    `${done.toLocaleString(locale)} of ${total.toLocaleString(locale)}`,
  decisions: "Decisions",
  given: "Label now",
  suggested: "Suggested",
  quality: (share: string) => `cleanlab: ${share}`,
  confidence: (share: string) => `${share} sure`,
  decided: {
    keep: "label kept",
    accept: "suggestion accepted",
    ood: "out of distribution",
    unsure: "unsure",
  },
  before: (decision: string) => `You decided: ${decision}.`,
  beforeHint: "Decide again, or press Enter to leave it.",
  last: (decision: string) => `Last: ${decision}`,
  pair: (given: string, suggested: string) => `Label now ${given}, suggested ${suggested}.`,
  late: (count: number) =>
    `A colleague was first with ${plural(count, "image", "images")} you decided on. What they decided holds.`,
  hint: "The surest suggestions come first. Nothing is overwritten: every decision can be taken back.",
  doneTitle: "All decided",
  doneText: (decided: Record<string, number>) =>
    [
      `${count(decided.accept)} accepted`,
      `${count(decided.keep)} kept`,
      `${count(decided.ood)} out of distribution`,
      `${count(decided.unsure)} unsure.`,
    ].join(", "),
  othersTitle: "The rest is with colleagues",
  othersText: (count: number) =>
    `${count.toLocaleString(locale)} suggestions are on their screens; what they leave comes back here.`,
  back: "Back to the project",
  waiting: (count: number) => `Review ${count.toLocaleString(locale)} doubtful labels`,
};
