import { locale } from "../language";
import { alike, estimate } from "./estimate";
import { plural } from "./words";

const count = (value = 0): string => value.toLocaleString(locale);

const ood = "none of the classes";
const unsure = "unsure";

/** What a review calls its images: those whose label a job doubts. */
const suggestions = {
  title: "Review:",
  given: (_equal: boolean) => "Label now",
  suggested: "Suggested",
  pair: (given: string, suggested: string, _equal: boolean) =>
    `Label now ${given}, suggested ${suggested}.`,
  decided: {
    keep: (_name: string) => "label kept",
    accept: (_name: string) => "suggestion accepted",
    other: (name: string) => `neither, but ${name}`,
    ood: (_name: string) => ood,
    unsure: (_name: string) => unsure,
  },
  hint: "What is expected to bring most comes first, by what was decided so far. Nothing is overwritten: every decision can be taken back.",
  doneTitle: (_total: number) => "All decided",
  doneText: (_total: number, decided: Record<string, number>) =>
    [
      `${count(decided.accept)} accepted`,
      `${count(decided.keep)} kept`,
      `${count(decided.other)} of another class`,
      `${count(decided.ood)} ${ood}`,
      `${count(decided.unsure)} ${unsure}.`,
    ].join(", "),
  leftTitle: (_manages: boolean) => "The rest is with colleagues",
  leftText: (left: number, _manages: boolean) =>
    `${plural(left, "suggestion is", "suggestions are")} on their screens; what they leave comes back here.`,
  waiting: (open: number) => `Review ${plural(open, "doubtful label", "doubtful labels")}`,
};

/** Those on which verdicts contradict each other; `equal` says that no label has the most. */
const disagreements: typeof suggestions = {
  title: "Disagreements:",
  given: (equal) => (equal ? "Some said" : "Most said"),
  suggested: "Others said",
  pair: (given, suggested, equal) =>
    `${equal ? "Some" : "Most"} said ${given}, others ${suggested}.`,
  decided: {
    keep: (name) => name,
    accept: (name) => name,
    other: (name) => name,
    ood: () => ood,
    unsure: () => unsure,
  },
  hint: "What you decide becomes the label. Nothing is overwritten: every decision can be taken back.",
  doneTitle: (total) => (total > 0 ? "All decided" : "Nobody disagrees"),
  doneText: (total, _decided) =>
    total > 0
      ? `${plural(total, "disagreement is", "disagreements are")} settled.`
      : "Images come up here when people contradict each other. That takes several who label the same ones: “Annotators for each image” in the settings, or second looks.",
  leftTitle: (manages) => (manages ? "The rest is with colleagues" : "Nothing is left for you"),
  leftText: (left, manages) =>
    manages
      ? `${plural(left, "image is", "images are")} on their screens; what they leave comes back here.`
      : `${plural(left, "image is", "images are")} left: on a colleague’s screen, or judged by you before. Where you are one of those who disagree, somebody else decides, or those who manage the project.`,
  waiting: (open) => `Decide on ${plural(open, "disagreement", "disagreements")}`,
};

export const review = {
  suggestions,
  disagreements,
  estimate,
  alike,
  progress: "Decided",
  of: (done: number, total: number) => `${count(done)} of ${count(total)}`,
  decisions: "Decisions",
  votes: (votes: number, total: number) =>
    `${count(votes)} of ${plural(total, "verdict", "verdicts")}`,
  quality: (share: string) => `Label quality ${share}`,
  confidence: (share: string) => `${share} sure`,
  others: "Another class",
  before: (decision: string) => `You decided: ${decision}.`,
  beforeHint: "Decide again, or press Enter to leave it.",
  last: (decision: string) => `Last: ${decision}`,
  also: (names: string) => `Also said: ${names}.`,
  late: (images: number) =>
    `A colleague was first with ${plural(images, "image", "images")} you decided on. What they decided holds.`,
  back: "Back to the project",
  takeBack: {
    action: "Take all back",
    title: "Take back all decisions?",
    text: (decided: number) =>
      `${plural(decided, "label becomes what it was", "labels become what they were")} before this review. The decisions stay on record, and the images are open again.`,
  },
  helpTitle: "Keys of the review",
  helpRows: {
    keep: "The label on the left",
    accept: "The label on the right",
    classes: "The key of a class names it, be it one of the two labels or another.",
    keepDecision: "Leave the decision on an image you went back to",
  },
};
