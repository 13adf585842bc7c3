import { locale } from "../language";
import { firstSteps } from "./firstSteps";
import { rankingOverview } from "./rankingOverview";
import { plural } from "./words";
export const overview = {
  tab: "Overview",
  firstSteps,
  ranking: rankingOverview,
  pause: "Pause",
  resume: "Resume",
  another: "Another round",
  closeRound: "Close round",
  closeConfirm: (number: number) => `Close round ${number} now?`,
  closeEmptyText:
    "Nobody has answered in this round yet, so the model learns nothing new from it: the next images are chosen by what it knows now.",
  closeText:
    "The model is trained on the answers there are, and the next images are chosen. The rest of the budget is not spent.",
  importMore: "Import images",
  export: "Export",
  exports: {
    csv: "Annotations as CSV",
    jsonl: "Annotations as JSON Lines",
    imagefolder: "Labeled images as a folder (zip)",
  },
  allExports: "Label Studio, COCO, Parquet …",
  pool: "Pool",
  heldOut: (count: number) => `${count.toLocaleString(locale)} held out`,
  evaluation: (count: number) => `${count.toLocaleString(locale)} for evaluation`,
  now: "Now",
  latestAccuracy: "Latest accuracy",
  foundWell: "How well things are found",
  latest: (name: string) => `Latest ${name}`,
  roundIs: {
    selecting: "The images of this round are being chosen",
    open: "Its images can be labeled",
    closing: "The model is learning from the answers",
    closed: "Done",
    failed: "Its job has failed",
  },
  roundPaused: "Nobody is asked while the project is paused",
  rounds: "Rounds",
  noRounds: "No rounds yet",
  noRoundsText: "The first round opens as soon as the project starts.",
  plansWait: (names: string[]) =>
    names.length === 1
      ? `The import of “${names[0]}” waits for your answer: nothing of it is stored yet.`
      : `${names.length} imports wait for your answer, and nothing of them is stored yet: ${names.map((name) => `“${name}”`).join(", ")}.`,
  toPlan: "Show the plan",
  columns: {
    round: "Round",
    state: "State",
    strategy: "Strategy",
    spent: "Spent",
    in: "Of a class",
    unsure: "Unsure",
    share: "Share of your classes",
    accuracy: "Accuracy",
    training: "Training",
  },
  curves: {
    title: "Learning curves",
    compare: "Compare",
    compareHint:
      "Projects with the same classes. Runs of one strategy become one curve: mean ± standard deviation. Other seeds over the same pool are chosen from the start.",
    candidate: (strategy: string, seed: number, samePool: boolean) =>
      `${strategy}, seed ${seed}${samePool ? "" : ", another pool"}`,
    runsOf: (strategy: string, runs: number) => `${strategy}, ${runs} runs`,
    auroc: "Yours told from the rest",
    aurocHint:
      "How often an image of your classes was taken for likelier than one of none, of those asked about (AUROC of purity); 0.5 is guessing",
    noAuroc: "Appears after a round that the model chose and that has answers of both kinds.",
    spent: (cost: string, time: string) => `${cost} spent in all, ${time} of annotators’ time.`,
    accuracy: "Accuracy",
    accuracyHint: "On the evaluation images, after each round",
    noEvaluation:
      "Drawn on labeled evaluation images. Without them, random checks say how right the model is.",
    noBoxes: "Add evaluation images with their boxes to see how well things are found.",
    noAccuracy: "Measured when the next round closes.",
    share: "Share of your classes in each round",
    shareHint:
      "Of the images that each round chose, without checks and what somebody sent, how many were worth asking",
    poolShare: "Pool, estimated from the random images of round 0",
    cost: "Cost",
    costHint: "Spent in each round",
    weight: "Weight of purity",
    weightHint:
      "Where each round’s choice ends: above the middle it counts more that an image is of your classes, below it that it teaches more",
    weightEven: "Both count alike",
    round: (number: number) => `Round ${number}`,
    empty: "Appears after the first round.",
    tooFew: (answers: number) =>
      `Appears after a round with ${plural(answers, "answer", "answers")} or more.`,
  },
  firstQueue: "Preparing the first images",
  job: {
    advance_round: "Training and choosing the next images",
    certify: "Labeling with a guarantee",
    import_pool: "Importing images",
    learn_features: "Learning features",
    taufe: "Comparing regularizers",
    prune: "Pruning labels",
    relabel: "Relabeling",
    score_part: "Scoring a part of the pool",
    resize: "Resizing images",
    embedding_map: "Making the map",
    compare: "Comparing images",
    look_up: "Looking at a file",
    localize: "Comparing localization",
    select_instructions: "Choosing instructions",
    look_at: "Looking at an image",
  } as Record<string, string>,
  jobRunning: "At work",
  jobQueued: "Waiting for a worker",
  jobEta: (time: string) => `About ${time} left`,
  jobFailed: "The job failed",
  /** What is without a phase that makes an open queue better, and nothing waits for. */
  jobRefined: {
    warm_start: "The images of the round can be labeled; all of them were drawn at random.",
    propose_more: "The images of the round can be labeled; boxes are suggested on the first alone.",
  } as Record<string, string>,
  step: (step: number, steps: number) =>
    `${step.toLocaleString(locale)} of ${steps.toLocaleString(locale)}`,
  cancelJob: "Cancel",
  agreement: {
    title: "Agreement",
    hint: (images: number) =>
      `On ${plural(images, "image", "images")} with more than one verdict: the share of pairs that say the same, and Krippendorff’s alpha, which is 0 where they agree as by chance.`,
    disagreements: (images: number) =>
      `Verdicts contradict each other on ${plural(images, "image", "images")}.`,
    decide: "Decide",
    who: "Who",
    everybody: "All together",
    votes: "Verdicts",
    inOod: "A class or none",
    classes: "Class",
    alpha: "α",
    boxes: "Boxes",
    proposals: {
      title: "Proposed boxes",
      hint: "What annotators made of the boxes that models proposed. Overlap is that of an adjusted box with its proposal.",
      shown: "Shown",
      kept: "Kept",
      adjusted: "Adjusted",
      rejected: "Rejected",
      overlap: "Overlap",
      seconds: "Per box",
      shifted: "Shifted ones kept",
      of: (kept: number, shown: number) =>
        shown === 0 ? "–" : `${kept.toLocaleString(locale)} of ${shown.toLocaleString(locale)}`,
    },
  },
  outlook: {
    title: "Another round?",
    chips: { stop: "Stop", go_on: "Go on", unclear: "Unclear", unknown: "Not known yet" },
    advice: {
      stop: "Another round is not expected to pay.",
      go_on: "Another round is expected to pay.",
      unclear: "It is not clear whether another round pays.",
      unknown: "It cannot be told yet whether another round pays.",
    },
    gain: (gain: string, low: string, high: string, verdicts: number, more: number) =>
      `By the learning curve so far, the next ${plural(verdicts, "verdict brings", "verdicts bring")} ${plural(more, "label", "labels")} of a class and raise accuracy by ${gain} (80 % interval ${low} to ${high}).`,
    perVerdicts: (gain: string, low: string, high: string) =>
      `That is ${gain} for a hundred verdicts (${low} to ${high}).`,
    needed: (least: string) => `A rise of ${least} would be worth them.`,
    fewLabels: (more: number, verdicts: number, high: string, least: string) =>
      `The next ${plural(verdicts, "verdict is", "verdicts are")} expected to bring ${plural(more, "label", "labels")} of a class and to raise accuracy by ${high} at most. A rise of ${least} would be worth them.`,
    noLabels:
      "Another round like the last is expected to bring no label of a class, and so no rise of accuracy.",
    ceiling: (least: string) =>
      `Accuracy is near its ceiling: more labels hardly help now, as another round is not expected to raise it by ${least}.`,
    evaluation: (accuracy: string, examples: number) =>
      `Accuracy is ${accuracy} now, on ${plural(examples, "evaluation image", "evaluation images")} (95 % interval in brackets).`,
    draws: (accuracy: string, examples: number) =>
      `Accuracy is ${accuracy} now, on ${plural(examples, "image", "images")} drawn at random (95 % interval in brackets).`,
    noBoxes:
      "It is not known yet how well things are found: add evaluation images with their boxes, and close a round.",
    boxes:
      "How well things are found is measured when a round closes; the learning curve below shows it.",
    noEvaluation: (needed: number, ask: string) =>
      `There is no accuracy yet: when a round closes, ${needed} answered random checks of your classes tell it (“${ask}”), or labeled evaluation images.`,
    noAccuracy:
      "There is no accuracy yet: it is measured on the evaluation images when a round closes.",
    fewRounds: (rounds: string, needed: string) =>
      `Accuracy is known of ${rounds === "1" ? "one round" : `${rounds} rounds`}; a learning curve needs ${needed}.`,
    inShare: (last: string, best: string | null, inside: string, answers: string) =>
      best === null
        ? `${inside} of ${answers} answers to what the last round chose were of a class, ${last}: no round had more.`
        : `${inside} of ${answers} answers to what the last round chose were of a class, ${last}; in the best round ${best}.`,
    pool: (round: number, unlabeled: number, inside: string, most: string) =>
      `When round ${round} closed, ${plural(unlabeled, "image of the pool was", "images of the pool were")} unlabeled. Of these about ${inside} are expected to be of a class, and at most ${most}.`,
    poolUnknown: (unlabeled: number) =>
      `${plural(unlabeled, "image of the pool is", "images of the pool are")} unlabeled. There are too few answers yet to tell how many of them are of a class.`,
  },
  oodLeft: {
    title: "None of the classes, still in the pool",
    none: "Estimated when the first round closes.",
    hint: (round: number) => `Estimated when round ${round} closed`,
    few: (basis: string, answers: number, needed: number) =>
      `${basis}: ${plural(answers, "answer", "answers")}, too few to tell; ${needed} are needed.`,
    of: (unlabeled: number) => `of ${plural(unlabeled, "unlabeled image", "unlabeled images")}`,
    interval: (low: string, high: string) => `95 % interval ${low} to ${high}`,
    byRandom: "By the random images of round 0",
    byPurity: "By what the model makes of each, checked on the last answers",
    row: (count: string, low: string, high: string, answers: number) =>
      `${count} (${low} to ${high}), from ${plural(answers, "answer", "answers")}`,
    bias: "The images of a round are chosen, so what is checked on them may mislead for the rest; the random images of round 0 are free of that, but few.",
    disagree:
      "The two do not agree: the model says little about what was not asked, so the estimate by random images is shown.",
  },
};
