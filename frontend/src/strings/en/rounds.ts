import { locale } from "../language";
import { plural } from "./words";

const count = (value: number) => value.toLocaleString(locale);
const images = (value: number) => plural(value, "image", "images");

/** Why the queue of a round was as long as it was: by what, and what came on top of that. */
export type Queued = {
  by: "budget" | "lowest" | "time" | "pool";
  budget: string;
  /** Whether there was more, for the time in which the model is trained. */
  tail: boolean;
  /** Images that come before those: checks, second looks, and what somebody sent. */
  before: number;
};

const paid = {
  budget: (budget: string) => `what the budget of ${budget} pays for`,
  lowest: (budget: string) =>
    `what the budget of ${budget} pays for if every verdict has the lower price`,
  time: (budget: string) =>
    `what ${budget} suffice for at half the usual time of a verdict, so that quick annotators do not run out`,
};

export const rounds = {
  title: (number: number) => `Round ${number}`,
  back: "Overview",
  slider: "Round",
  sliderHint: "← and → go from round to round",
  previous: "Round before",
  next: "Next round",
  noRound: (number: string) => `There is no round ${number} in this project.`,
  map: {
    title: "Purity and informativeness",
    hint: (pool: number, queries: number) =>
      `${images(pool)} of the pool as the model saw them before this round, and the ${count(queries)} it asked about.`,
    label: (pool: number, queries: number, surface: string) =>
      `Map of ${images(pool)} by purity and informativeness, with ${plural(queries, "query", "queries")}. ${surface}`,
    none: "No map of this round",
    noneFirst:
      "The images of round 0 are typical of the pool or drawn at random: there is no model yet that could score the pool.",
    noneText:
      "The pool was not scored for this round: there was no model yet, or its images are still being chosen.",
    purity: "Purity",
    informativeness: "Informativeness",
    zoomIn: "Zoom in",
    zoomOut: "Zoom out",
    reset: "Whole pool",
    help: "Drag to move, Ctrl and the wheel or two fingers to zoom. Point at an image to see it, click to keep it. Draw an outline, also with Shift, to see all images inside.",
    outline: "Draw an outline",
    inView: "Images in view",
    ownAxes: "Axes of this round alone",
    closeTogether: (score: string, low: string, high: string) =>
      `${score} runs only from ${low} to ${high} in this round, a small part of what it is in others: it hardly tells these images apart, or was another score then.`,
    soOwnAxes: "So the axes are of this round alone.",
    sameOfAll: (score: string, value: string) =>
      `${score} is ${value} for every image of this round, so all lie on one line.`,
    legend: "Shown on the map",
    pool: "Pool",
    density: "Density of the pool",
    surface: "Surface",
    boundary: "Selection boundary",
    unanswered: "Not answered",
    verdicts: { skip: "Skipped", unsure: "Unsure" },
    surfaces: {
      phi: "The contours are MQ-Net’s Φ: the higher, the sooner it asks.",
      sum: "The contours are purity + informativeness, normalised over the pool.",
      product: "The contours are purity × informativeness, normalised over the pool.",
      purity: "The contours are purity: the most likely come first.",
      informativeness: "The contours are informativeness alone.",
      expected_value:
        "The contours are what an answer is expected to teach for what it is expected to cost.",
    },
    exact: "The dashed line is the selection boundary: the value of the last image asked about.",
    inexact:
      "The strategy goes on from it, by the classes that are behind, so the dashed line is the boundary it would have without that.",
    noSurface: (strategy: string) =>
      `${strategy} does not decide by these two scores, so there are no contours and no boundary.`,
    pins: "Kept images",
    unpin: (name: string) => `Let go of ${name}`,
    values: (purity: string, informativeness: string) =>
      `purity ${purity}, informativeness ${informativeness}`,
    meta: (value: string) => `value ${value}`,
    loading: "Loading the image…",
  },
  states: {
    unlabeled: "not looked at",
    queried: "in the queue",
    labeled: "labeled",
    unsure: "unsure",
    held_out: "held out",
  },
  /** Of an image that is something else now than when the round closed. */
  since: (now: string) => `now ${now}`,
  inside: {
    title: "Inside the outline",
    hint: images,
    empty: "No image lies inside.",
    close: "Remove the outline",
    more: "Show more",
  },
  asked: {
    title: "Asked about in this round",
    hint: (total: number, shown: number) =>
      shown === total ? images(total) : `${count(shown)} of ${images(total)}`,
    none: "The images of this round are not chosen yet.",
    filtered: "The map’s legend hides all of them.",
    changed: (changed: number, isClosed: boolean) =>
      `${isClosed ? "Shown as they were when the round closed. " : ""}Marked with what is so now: ${images(changed)}.`,
    why: ({ by, budget, tail, before }: Queued) => {
      if (by === "pool") return "Queued: all that was left in the pool.";
      const reserve = tail
        ? [", and half as many again, so that annotators have work while the model is trained"]
        : [];
      const extra =
        before > 0
          ? [`, with ${images(before)} before them: checks, second looks, or what somebody sent`]
          : [];
      return ["Queued: ", paid[by](budget), ...reserve, ...extra, "."].join("");
    },
  },
  facts: {
    title: "What came of it",
    verdicts: "Verdicts",
    spent: "Spent",
    share: "Share of your classes",
    auroc: "Yours told from the rest",
    aurocHint:
      "How often an image of a class had the higher purity than one of none: AUROC of purity, 0.5 is guessing. The images were chosen, so it is not that of the pool.",
    weight: "Weight of purity",
    weightHint:
      "Where the choice of this round ended: above 50 % it counted more that an image is of your classes, below 50 % that it teaches more",
    accuracy: "Accuracy",
    hours: "Annotators’ time",
    perClass: "Accuracy of each class",
    perClassPrecision: "Average precision of each class",
    precision: {
      hint: "Mean average precision of the boxes on the evaluation images, over IoU 0.5 to 0.95",
      map50: "mAP50",
      ar100: "AR",
      hints: {
        map50: "Mean average precision at IoU 0.5",
        ar100: "Share of the boxes that are found, on average over IoU 0.5 to 0.95",
      },
    },
    notes: "Notes",
  },
  ranking: {
    hint: "People put rows in order here; nothing is trained.",
    asked: "Groups asked about",
    skipped: "Skipped",
    time: "People’s time",
    toChosen: "Chosen instructions",
  },
  phases: {
    title: "Time of the machines",
    hint: (total: string) => `${total} of work between the last answer and the next images`,
    none: "Shown when the round has closed.",
  },
  settings: {
    title: "Settings of the round",
    hint: "Frozen when the round was made",
    kinds: {
      strategy: "Strategy",
      purity: "Purity",
      informativeness: "Informativeness",
      model: "Model",
    } as Record<string, string>,
    seed: "Seed",
    defaults: "default parameters",
    drawn:
      "Round 0 asks about images that are chosen before there is a model, whatever the strategy.",
  },
};
