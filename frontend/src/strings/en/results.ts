import { locale } from "../language";
import { premise, trial } from "./pruned";
import { plural } from "./words";

/** What jobs have found. */
export const subset = {
  title: "Labels pruned",
  kept: (kept: number, labeled: number, method: string) =>
    `${method} keeps ${kept.toLocaleString(locale)} of ${labeled.toLocaleString(locale)} labels.`,
  next: "For rounds and jobs",
  nextHint:
    "The rounds that follow and the comparison of regularizers train without the dropped labels, and with those that are given later. Relabeling offers the subset, and without one learns from all labels. Nothing is deleted.",
  use: "Train on it",
  stop: "Train on all labels",
  inUse: "In use",
  all: "Compare subsets",
  noise: "Wrong labels",
  noiseHint:
    "Over the images that came with a label, which is taken for the truth; the others are left out.",
  noiseOf: { all: "All labels", kept: "Kept", dropped: "Dropped" },
  part: "Of",
  labels: "Labels",
  known: "Truth known",
  wrong: "Wrong",
  ratio: "Noise",
  corrects: "Warm-up corrects",
  correctsHint:
    "Corrected are wrong labels whose true class the warm-up model names. What a learner corrects after training on the subset is in the result of a job that relabels.",
  neighbours: "Neighbours at other thresholds",
  neighboursHint: (sampled: number, tau: string, automatic: boolean) =>
    `The share of ${plural(sampled, "image", "images")} by how many neighbours they have from a similarity on. ${
      automatic ? "Chosen" : "Given"
    } was ${tau}; another chooses again, in seconds unless labels or images have changed since the last warm-up. Many images without a neighbour: lower it. Most of all images as neighbours: raise it.`,
  tau: "Tau",
  median: "Median",
  choice: "Choice",
  inUseHere: "used",
  choose: "Choose again",
  chooseWith: (tau: string) => `Choose again with tau ${tau}`,
  /** The numbers from one on, up to where the next bin begins. */
  bin: (from: number, next: number | undefined) => {
    if (next === undefined) return `${from.toLocaleString(locale)}+`;
    return from === next - 1
      ? `${from}`
      : `${from.toLocaleString(locale)}–${(next - 1).toLocaleString(locale)}`;
  },
  trial,
  premise,
  balance: "Balance of classes",
  class: "Class",
  before: "Labels",
  after: "Kept",
  share: "Share kept",
  objective: "Objective",
  objectiveHint: "What the method maximises, while labels are chosen",
  noObjective: "This method maximises nothing.",
  reached: "Objective reached",
  bound: "Upper bound of the optimum",
  guaranteed: "Guaranteed",
  atLeast: (share: string) => `at least ${share} of the optimum`,
  optimum: "the optimum",
  ofOptimum: (kept: number, bound: string, share: string) =>
    `The best choice takes too long to find. But none of ${plural(kept, "label", "labels")} gets beyond ${bound}, and this one certainly reaches at least ${share} of what the best would.`,
  isOptimum: (kept: number) => `No choice of ${plural(kept, "label", "labels")} reaches more.`,
  chosen: (count: number) => `${count.toLocaleString(locale)} kept`,
  first: "First to keep",
  firstHint: "What the method chose first.",
  dropped: "Dropped",
  droppedHint: "Those whose label the model believes least come first.",
  none: "Nothing is dropped.",
  allDropped: (count: number) => `All ${count.toLocaleString(locale)} dropped`,
  allKept: (count: number) => `All ${count.toLocaleString(locale)} kept`,
  image: (name: string, loss: number, truth: string | null) =>
    `Labeled ${name}${truth ? `, truly ${truth}` : ""}, loss ${loss.toFixed(2)}`,
  truth: (name: string) => `truly ${name}`,
  facts: {
    rank: "Rank",
    gain: "Gain",
    confidence: "Confidence",
    loss: "Loss",
    neighbourhood: "Neighbourhood",
    drawn: "Drawn",
    margin: "Margin",
    distance: "Distance",
    similarity: "Similarity",
    forgotten: "Forgotten",
    learned: "Learned",
    gradient_norm: "Gradient",
  } as Record<string, string>,
};

export const relabel = {
  title: "Labels learned anew",
  found: "What was found",
  noise: (rate: string, low: string, high: string) =>
    `About ${rate} of the labels are wrong: at least ${low}, and at most ${high}.`,
  noiseOfAll: (rate: string, low: string, high: string) =>
    `About ${rate} of all verdicts are wrong, those of none of the classes counted too: at least ${low}, and at most ${high}.`,
  noiseHint:
    "By features alone nobody can tell a wrong label from a difficult image, so the upper bound is far from the estimate. A review tells more.",
  worth: (count: number, wrong: string, right: string) =>
    `Of the ${count.toLocaleString(locale)} suggestions about ${wrong} are expected to be of wrong labels, and for ${right} the class proposed is expected to be right.`,
  stops: (share: string) =>
    `Suggestions end where a label is wrong with less than ${share}: what follows would waste time.`,
  noneWorth: (share: string) =>
    `No label is wrong with ${share} or more: there is nothing worth a review.`,
  outside: (count: number) => `${count.toLocaleString(locale)} of them seem to belong to no class.`,
  learned: (learner: string, images: number) =>
    `${learner} learned from ${plural(images, "label", "labels")}.`,
  judged: (labels: number) =>
    `Each of ${plural(labels, "label", "labels")} was judged by a model that had not seen it.`,
  doubts: (doubted: number, labeled: number) =>
    `It would label ${doubted.toLocaleString(locale)} of ${labeled.toLocaleString(locale)} images otherwise.`,
  accuracy: (share: string) => `On the evaluation images it is right for ${share}.`,
  review: "Review",
  reviewHint:
    "Nothing changes until somebody decides. A decision is an annotation of its own, and can be taken back.",
  look: "Look again",
  truth: "Beside the truth",
  truthHint: (images: number) =>
    `Over ${plural(images, "image that", "images that")} came with a label, which is taken for the truth.`,
  noiseBefore: "Wrong labels as given",
  noiseAfter: "Wrong if all were accepted",
  corrected: "Of the wrong ones put right",
  trainedCorrected: (wrong: number) =>
    `Of the ${wrong.toLocaleString(locale)} wrong ones it learned from`,
  second: "Second opinion",
  secondHint:
    "Labels that cleanlab flags, by predictions that have not seen them, beside those this learner would change.",
  both: "Both doubt",
  oursOnly: "Only this learner",
  theirsOnly: "Only cleanlab",
  voters: "Annotators",
  votersHint: (images: number, otherwise: number) =>
    `${plural(images, "image has", "images have")} several labels. cleanlab weighs them by who gave them: how likely a label of each is right. For ${plural(otherwise, "image", "images")} it arrives at another label than the one they count as.`,
  voter: "Who",
  user: (id: number) => `User ${id}`,
  quality: "Right",
  transitions: "Which labels it would change",
  transitionsHint: "The most frequent first; the share is of all labels of that class.",
  given: "Label now",
  suggested: "Suggested",
  labels: "Labels",
  share: "Share",
  download: "All labels with confidence (Parquet)",
};
