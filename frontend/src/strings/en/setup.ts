import { locale } from "../language";
import { bucket } from "./bucket";
import { draft } from "./draft";
import { groups } from "./groups";
import { inputSize } from "./inputSize";
import { left } from "./left";
import { members } from "./members";
import { plan } from "./plan";
import { removal } from "./removal";
import { plural } from "./words";

export const setup = {
  ...draft,
  tab: "Settings",
  tabDraft: "Set-up",
  newTitle: "New project",
  newHint:
    "Say what it holds, which stays, and give it a name. Classes, images and the method come next, and can be changed.",
  create: "Create project",
  name: "Project name",
  basics: "What to look for",
  basicsHint:
    "Only the classes you want. What is none of them needs no class: annotators say so with one key.",
  classes: "Classes",
  classesLater:
    "Annotators see changes at once. The model learns a new class from the next round on. A class with labels stays; its images can be sent to the queue from the pool.",
  className: (index: number) => `Name of class ${index}`,
  classColour: (name: string) => `Colour of ${name}`,
  classHotkey: (name: string) => `Hotkey of ${name}`,
  moveUp: (name: string) => `Move ${name} up`,
  moveDown: (name: string) => `Move ${name} down`,
  removeClass: (name: string) => `Remove ${name}`,
  describeClass: (name: string) => `Describe ${name}`,
  classGuide: (name: string) => `What belongs to ${name}`,
  classGuideHint: "What belongs to this class, and what does not. Annotators read it in the guide.",
  thisClass: "this class",
  addClass: "Add a class",
  noHotkey: "none",
  hotkeyTwice: (key: string) => `Two classes have the key ${key}.`,
  nameTwice: (name: string) => `Two classes are called “${name}”.`,
  nameEmpty: (index: number) => `Class ${index} needs a name, or remove it.`,
  nameReserved: "OOD stands for “none of the classes” and needs no class.",
  guidelines: "Guidelines",
  guidelinesHint: "Shown beside the image. Say what belongs to a class when in doubt.",
  images: "Images",
  imagesHint:
    "A zip or tar, a Parquet file, or a folder, also as Label Studio, COCO, YOLO or Karat export them. What becomes of it is shown before anything is stored. Pool images are to be labeled; evaluation images come with labels (one folder per class) and measure accuracy.",
  addTo: "Add to",
  splits: { pool: "Pool", evaluation: "Evaluation", auxiliary_ood: "Known to be none" },
  splitHints: {
    pool: "To be labeled. Labels that come with the files stay a note, unless you name their column.",
    evaluation: "Labeled images, one folder per class, on which accuracy is measured.",
    auxiliary_ood: "Images known to be of none of the classes.",
  },
  classesFirst: "Add the classes first: labels are matched to them by name.",
  labelColumns: "Columns with labels",
  labelColumnsHint:
    "Of a Parquet file, or of an archive’s metadata; several with commas. They become annotations.",
  labelColumnsPlaceholder: "worse_label",
  tableTitle: (name: string) => `Which columns of ${name} are labels?`,
  tableText:
    "Each becomes an annotation of the image that the row names, with the column as its source. Several are several votes.",
  tableEmpty: "The table has no column beside the one that names the image.",
  tableTake: "Import labels",
  tableKey: "Column that names the image",
  tableKeyHint: "Rows whose columns mean different images are refused, unless you choose one.",
  tableKeyAny: "All that there are",
  countFrom: {
    label: "Numbers of classes",
    hint: "Columns of numbers say it themselves if they have a 0 and none beyond the last class.",
    themselves: "As they say themselves",
    from: (first: number) => `The first class is ${first}`,
  },
  labelsAdded: (count: number) => `${plural(count, "label", "labels")} added`,
  dropHere: "Drop a zip or tar, a Parquet file, a folder, or labels (CSV, JSON Lines, JSON) here",
  chooseFile: "Choose a file",
  bucket,
  chooseFolder: "Choose a folder",
  packing: (name: string, count: number) => `Packing ${name}: ${plural(count, "file", "files")}`,
  uploading: (name: string, percent: number) => `Uploading ${name}: ${percent} %`,
  uploadFailed: (name: string) => `${name} was not uploaded.`,
  left,
  importQueued: "Waiting to be read",
  importRunning: "Reading",
  importDone: "Imported",
  importedNothing: "Brought nothing",
  importFailed: "Failed",
  importCancelled: "Cancelled",
  stop: "Stop",
  /** What was imported. */
  sources: {
    bucket: "Bucket",
    server: "Folder of the server",
    folder: "Folder",
    images: "Single images",
    zip: "Zip",
    tar: "Tar",
    parquet: "Parquet",
    labels: "Labels",
    image: "Image",
  },
  inSplit: (split: string, count: number) => `${split}: ${count.toLocaleString(locale)}`,
  added: (count: number) => `${plural(count, "image", "images")} added`,
  nothingAdded: "Nothing added",
  duplicates: (count: number) => `${plural(count, "duplicate", "duplicates")}`,
  /** Before how many of the rows brought what. */
  ofRows: (count: number) => `${plural(count, "row", "rows")}: `,
  /** Rows of labels for images that are there. */
  labeled: (count: number) => `${count.toLocaleString(locale)} with new labels`,
  contradicting: (count: number) =>
    count === 1
      ? "1 contradicts another label of its image; both are kept"
      : `${count.toLocaleString(locale)} contradict another label of their image; all are kept`,
  unchanged: (count: number) => `${count.toLocaleString(locale)} known already`,
  empty: (count: number) => `${count.toLocaleString(locale)} without a label`,
  refused: (count: number) => `${count.toLocaleString(locale)} refused`,
  leftOut: (count: number) => `${count.toLocaleString(locale)} left out`,
  whyLeftOut: "What was left out, and why?",
  whyRefused: "What was refused, and why?",
  noted: "How was it taken?",
  fullReport: "Full report (CSV)",
  reason: "Reason",
  refusedItems: "Refused",
  someFiles: (count: number, names: string[]) => {
    const shown = [...names, ...(count > names.length ? ["…"] : [])].join(", ");
    return names.length > 0
      ? `${count.toLocaleString(locale)}: ${shown}`
      : count.toLocaleString(locale);
  },
  imports: "Imports",
  plan,
  method: "Method",
  methodHint: "The defaults are a good start. Changes take effect from the next round.",
  kinds: {
    strategy: "Query strategy",
    purity: "Purity score",
    informativeness: "Informativeness score",
    model: "Model",
  },
  kindHints: {
    strategy: "Decides which images are asked about next.",
    purity: "How likely an image shows one of the classes.",
    informativeness: "How much an answer would teach the model.",
    model: "What learns from the answers.",
  },
  groups,
  change: "Change",
  changeOf: (kind: string) => `Change: ${kind}`,
  search: (count: number) => `Search all ${count} by name or purpose`,
  nothingFound: (words: string) => `Nothing matches “${words}”.`,
  inUse: "In use",
  use: (title: string) => `Use ${title}`,
  keep: (title: string) => `Keep ${title}`,
  documentation: "Docs",
  documentationOf: (title: string) => `Docs: ${title}, in a new tab`,
  parameters: "Parameters",
  paper: "Source",
  /** Pages of the documentation, which are in English. */
  page: {
    onlyEnglish: "What follows is in English.",
    headings: {
      Parameters: "Parameters",
      name: "name",
      default: "default",
      meaning: "meaning",
    },
  },
  needs: {
    bothScores: "Uses both scores",
    purity: "Uses the purity score",
    informativeness: "Uses the informativeness score",
    contrastive: "Needs a job: Learn features",
    predicted_losses: "Needs loss prediction",
    ood_class: "Needs a class for none",
    weights: "Needs weights",
  },
  standIn: (title: string) => `Until then: ${title}`,
  needsOfModel: {
    predicted_losses: (score: string) =>
      `${score} needs a model that also learns to predict its loss.`,
    ood_class: (score: string) => `${score} needs a model that has a class for none.`,
  },
  switchOn: "Switch it on",
  otherModel: "The chosen model cannot: choose another model.",
  advanced: "Advanced",
  unused: "The chosen strategy does not use this score.",
  learned: "Learned features",
  learnFirst: (names: string[]) =>
    `${names.join(" and ")} ${names.length === 1 ? "compares" : "compare"} features that have to be learned from the pool first, once. That takes hours on a GPU; on a CPU choose the network “Tiny CNN” and few epochs. Until it is done another score stands in.`,
  learnedAt: (at: Date) =>
    `Learned from the pool on ${at.toLocaleString(locale)}. Images that were imported since are embedded when a round closes.`,
  budget: "Budget per round",
  budgetFixed: "What the verdicts of one round may cost.",
  budgetSeconds: "Seconds of annotators’ time that one round may take.",
  costMode: "A verdict costs",
  costModes: { fixed: "A fixed price", seconds: "The seconds it took" },
  costIn: "Price of a class verdict",
  costOod: "Price of “none of the classes”",
  paysFor: (classes: number, ood: number) =>
    `A round then pays for ${plural(classes, "class verdict", "class verdicts")}, or for ${ood.toLocaleString(locale)} of “none of the classes”, or a mix. Unsure costs as much as a class; a skip is free.`,
  paysForSame: (verdicts: number) =>
    `A round then pays for ${plural(verdicts, "verdict", "verdicts")}. A skip is free.`,
  paysForTime: (time: string) =>
    `A round then pays for ${time} of annotators’ time, measured on screen, skips included.`,
  paysForImages: (overlap: number, images: number) =>
    `With ${overlap} annotators for each image that is about ${plural(images, "image", "images")}.`,
  overlap: "Annotators for each image",
  overlapHint: "The label is what most say. Every verdict costs.",
  modes: "How annotators label",
  modesHint: "Where both are allowed, each annotator chooses. A change takes effect at once.",
  mode: {
    single: { name: "One by one", hint: "One large image at a time, one key for each." },
    grid: {
      name: "Grid",
      hint: "Many small images at once, grouped by what the model takes them for. Faster where it is often right, and easier to nod through where it is wrong.",
    },
  },
  secondLooks: "Second looks, % of the budget",
  secondLooksHint:
    "Answers that are most probably wrong are asked for once more, first in the next round. Empty: 5 % where several people label, none where one does.",
  zeroWait: "No waiting",
  zeroWaitHint:
    "While a model trains, annotators go on with the rest of the queue; those answers count for the next round.",
  maxRounds: "Rounds",
  maxRoundsHint: "The project finishes after so many. Empty: until the pool is used up.",
  seed: "Seed",
  seedHint: "Makes rounds reproducible.",
  inputSize,
  leaseSeconds: "Lease",
  leaseSecondsHint: "Seconds an image is kept for the annotator who has it on screen.",
  saveChanges: "Save changes",
  unsaved: "Unsaved changes",
  notSavable: "Cannot be saved yet:",
  projectNameEmpty: "The project needs a name.",
  showProblem: "Show",
  start: "Start labeling",
  readyTitle: "Ready to start",
  labeledTitle: "Every image has a label",
  labeledText: "Prune or relabel them with jobs, or add images without labels to be asked about.",
  toJobs: "Go to jobs",
  notReady: "Before you can start:",
  needClasses: "add a class",
  needImages: "add images to the pool",
  needImport: "wait for the import to finish",
  summary: (pool: string, classes: string) =>
    `${pool} in the pool, ${classes}. The first images can be labeled at once.`,
  members,
  removal,
};
