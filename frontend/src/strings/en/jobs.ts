import { jobList } from "./jobList";

export const jobs = {
  tab: "Jobs",
  intro:
    "What runs in the background. Work that is started by hand gives way to rounds, and may be stopped and go on later.",
  start: "Start",
  estimate: {
    action: "Estimate",
    hint: "Checks what the job would refuse, and measures what it would take. Nothing is kept.",
    says: (time: string, memory: string, device: string, images: number) =>
      `Takes ${time} and ${memory} on this worker's ${device}, for ${images.toLocaleString()} images.`,
    phases: "Of that:",
    short: (time: string, memory: string) => `Estimate: ${time}, ${memory}`,
    run: "Estimate",
  },
  startAgain: "Start afresh",
  goOn: "Go on",
  stop: "Stop",
  stopped: "It was stopped, and can go on where it was.",
  needsImages: "Add images to the pool first.",
  parameters: "Parameters",
  runs: (title: string) => `Runs of ${title}`,
  columns: { started: "Started", state: "State", took: "Took", outcome: "Outcome" },
  states: {
    queued: "Waiting",
    running: "At work",
    succeeded: "Done",
    failed: "Failed",
    cancelled: "Stopped",
  },
  learned: (images: number) => `Features of ${images.toLocaleString()} images`,
  showResult: {
    taufe: "Show the comparison",
    prune: "Show the subset",
    relabel: "Show the suggestions",
  } as Record<string, string>,
  back: "All jobs",
  ...jobList,
  titled: (what: string, id: number) => `${what}, job ${id}`,
  noResult: "It is done.",
  log: {
    title: "Log",
    hint: "An event a line, with times in UTC.",
    plain: "As plain text",
    empty: "Nothing yet: no worker has begun with it.",
  },
  subsets: {
    title: "Subsets",
    tab: "All subsets",
    hint: "What pruning has found. One at a time may be in use; none is ever deleted.",
    none: "No subsets yet",
    noneText: "Start Prune labels on the Jobs page.",
    columns: {
      subset: "Subset",
      method: "Method",
      kept: "Kept",
      noise: "Noise",
      made: "Made",
      use: "Use",
      export: "Export",
    },
    name: (id: number) => `Subset ${id}`,
    option: (id: number, method: string, kept: number) =>
      `${id}: ${method}, ${kept.toLocaleString()} kept`,
    keptOf: (kept: number, labeled: number) =>
      `${kept.toLocaleString()} of ${labeled.toLocaleString()}`,
    exportThis: (id: number) => `Export subset ${id}`,
    short: { csv: "CSV", parquet: "Parquet", ids: "Ids", imagefolder: "Images" },
    formats: {
      csv: "All rows as CSV",
      parquet: "All rows as Parquet",
      ids: "Kept ids",
      imagefolder: "Kept images as a folder (zip)",
    },
    compare: "Compare two",
    compareHint: "What both keep, and what only one of them does.",
    first: "One",
    second: "Other",
    both: (common: number, union: number, jaccard: string) =>
      `Both keep ${common.toLocaleString()} of the ${union.toLocaleString()} labels that one of them keeps: Jaccard ${jaccard}.`,
    figure: "Figure",
    kept: "Kept",
    only: "Only here",
    noise: "Noise",
    known: "Truth known",
    keptAs: (name: string) => `Kept as ${name}`,
    onlyIn: (id: number) => `Only in subset ${id}`,
    onlyHint: (shown: number, all: number) =>
      shown < all
        ? `The first ${shown} of ${all.toLocaleString()}, by rank.`
        : "By rank, the first to keep first.",
    nothing: "Nothing: the other subset keeps it all.",
  },
  finished: "The project is finished: no rounds follow.",
  subset: {
    title: "Labels pruned",
    kept: (kept: number, labeled: number, method: string) =>
      `${method} keeps ${kept.toLocaleString()} of ${labeled.toLocaleString()} labels.`,
    next: "For the next rounds",
    nextHint:
      "The rounds that follow train without the dropped labels, and with those that are given later. Nothing is deleted.",
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
    neighbours: "Neighbours at other thresholds",
    neighboursHint: (sampled: number, tau: string, automatic: boolean) =>
      `The share of ${sampled.toLocaleString()} images by how many neighbours they have from a similarity on. ${
        automatic ? "Chosen" : "Given"
      } was ${tau}; another is the parameter Tau of the next job. Many images without a neighbour: lower it. Most of all images as neighbours: raise it.`,
    tau: "Tau",
    median: "Median",
    inUseHere: "used",
    /** The numbers from one on, up to where the next bin begins. */
    bin: (from: number, next: number | undefined) => {
      if (next === undefined) return `${from.toLocaleString()}+`;
      return from === next - 1
        ? `${from}`
        : `${from.toLocaleString()}–${(next - 1).toLocaleString()}`;
    },
    balance: "Balance of classes",
    class: "Class",
    before: "Labels",
    after: "Kept",
    share: "Share kept",
    objective: "Objective",
    objectiveHint: "What the method maximises, while labels are chosen",
    noObjective: "This method maximises nothing.",
    chosen: (count: number) => `${count.toLocaleString()} kept`,
    first: "First to keep",
    firstHint: "What the method chose first.",
    dropped: "Dropped",
    droppedHint: "Those whose label the model believes least come first.",
    none: "Nothing is dropped.",
    image: (name: string, loss: number, truth: string | null) =>
      `Labeled ${name}${truth ? `, truly ${truth}` : ""}, loss ${loss.toFixed(2)}`,
    truth: (name: string) => `truly ${name}`,
  },
  relabel: {
    title: "Labels learned anew",
    learned: (learner: string, images: number) =>
      `${learner} learned from ${images.toLocaleString()} labels.`,
    doubts: (doubted: number, labeled: number) =>
      `It would label ${doubted.toLocaleString()} of ${labeled.toLocaleString()} images otherwise.`,
    accuracy: (share: string) => `On the evaluation images it is right for ${share}.`,
    review: "Review",
    reviewHint:
      "Nothing changes until somebody decides. A decision is an annotation of its own, and can be taken back.",
    look: "Look again",
    revert: "Take all back",
    revertTitle: "Take back all decisions?",
    revertText: (count: number) =>
      `${count.toLocaleString()} labels become what they were before this review. The decisions stay on record, and the suggestions are open again.`,
    truth: "Beside the truth",
    truthHint: (images: number) =>
      `Over ${images.toLocaleString()} images that came with a label, which is taken for the truth.`,
    noiseBefore: "Wrong labels now",
    noiseAfter: "Wrong if all were accepted",
    corrected: "Of the wrong ones put right",
    second: "Second opinion",
    secondHint:
      "Labels that cleanlab flags, by features learned without any label, beside those this learner would change.",
    both: "Both doubt",
    oursOnly: "Only this learner",
    theirsOnly: "Only cleanlab",
    voters: "Annotators",
    votersHint: (images: number, otherwise: number) =>
      `${images.toLocaleString()} images have several labels. cleanlab weighs them by who gave them: how likely a label of each is right. For ${otherwise.toLocaleString()} images it arrives at another label than the one they count as.`,
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
  },
  comparison: {
    title: "Regularizers compared",
    from: (inside: number, ood: number) =>
      `Learned from ${inside.toLocaleString()} labeled and ${ood.toLocaleString()} OOD images, each with the same seed and the same number of steps.`,
    judged: (images: number, ood: number) =>
      `Judged by ${images.toLocaleString()} evaluation images and ${ood.toLocaleString()} OOD images that none has seen.`,
    judgedHeldOut: (images: number, ood: number) =>
      `There are no evaluation images, so ${images.toLocaleString()} labeled images were kept to judge by, and ${ood.toLocaleString()} OOD images; none was learned from.`,
    few: "So few images judge that differences of a few percent are chance.",
    methods: { standard: "Plain training", oat: "OAT", taufe: "TAUFE" },
    figures: "Figures",
    figuresHint: "The best of each line is bold. Higher is better, but for similarity and FPR95.",
    figure: "Figure",
    accuracy: "Accuracy",
    similarity: "Similarity of classes",
    scores: { msp: "largest probability", energy: "energy" },
    auroc: (score: string) => `AUROC, ${score}`,
    aupr: (score: string) => `AUPR out, ${score}`,
    fpr: (score: string) => `FPR95, ${score}`,
    perClass: "Accuracy by class",
    class: "Class",
    next: "For the next rounds",
    nextHint:
      "The rounds that follow train this network in this way, from scratch, on all labels there are then. What is there stays.",
    use: "Use",
    forNextRounds: (method: string) => `Use ${method} for the next rounds`,
    inUse: "In use",
    used: (method: string, model: string) =>
      `The next rounds train ${method}. Before, the model was ${model}.`,
    undo: "Undo",
    download: "Model file",
    map: "Map of the features",
    mapHint:
      "Each point is an image that none has learned from. Who is near whom means something; where it all lies does not. Point at one to see it.",
    mapOf: (method: string, images: number) => `${method}: ${images} images`,
    ood: "OOD",
  },
};
