import { locale } from "../language";
import { comparison } from "./comparison";
import { jobList } from "./jobList";
import { questions } from "./questions";
import { relabel, subset } from "./results";
import { plural } from "./words";

export const jobs = {
  tab: "Jobs",
  intro:
    "What runs in the background. Work that is started by hand gives way to rounds, and may be stopped and go on later.",
  questions,
  others: (titles: string[]) => `Other jobs: ${titles.join(", ").toLowerCase()}`,
  start: "Start",
  estimate: {
    action: "Estimate",
    hint: "Checks what the job would refuse, and measures what it would take. Nothing is kept.",
    says: (time: string, memory: string, device: string, images: number) =>
      `Takes ${time} and ${memory} on this worker's ${device}, for ${plural(images, "image", "images")}.`,
    phases: "Of that:",
    short: (time: string, memory: string) => `Estimate: ${time}, ${memory}`,
    run: "Estimate",
    preview: "Preview",
    before:
      "It trains networks, which takes from minutes to hours, by the parameters and the machine. “Estimate” measures it here first.",
  },
  startAfresh: "Start afresh",
  goOn: "Go on",
  stop: "Stop",
  stopped: "It was stopped, and can go on where it was.",
  needsImages: "Add images to the pool first.",
  parameters: "Parameters",
  runs: (title: string) => `Runs of ${title}`,
  earlier: (count: number) => (count === 1 ? "One earlier run" : `${count} earlier runs`),
  columns: { started: "Started", state: "State", took: "Took", outcome: "Outcome" },
  states: {
    queued: "Waiting",
    running: "At work",
    paused: "Paused",
    succeeded: "Done",
    failed: "Failed",
    cancelled: "Stopped",
  },
  regularized: (ways: number) => `${ways} ways to train compared`,
  learned: (images: number) => `Features of ${plural(images, "image", "images")}`,
  mapped: (images: number) => `Map of ${plural(images, "image", "images")}`,
  compared: (images: number, copies: number) =>
    `${plural(images, "image", "images")} compared, ${copies.toLocaleString(locale)} of them copies`,
  resized: (images: number, size: number) =>
    `${plural(images, "image", "images")} at ${size} × ${size}`,
  pruned: (kept: number, labeled: number) =>
    `${kept.toLocaleString(locale)} of ${labeled.toLocaleString(locale)} labels kept`,
  doubted: (doubted: number, labeled: number) =>
    `${doubted.toLocaleString(locale)} of ${labeled.toLocaleString(locale)} labels doubted`,
  advanced: (closed: number | null, opened: number | null) => {
    if (closed === null) return `Round ${opened} opened`;
    return opened === null ? `Round ${closed} closed` : `Round ${closed} closed, ${opened} opened`;
  },
  showResult: {
    taufe: "Show the comparison",
    localize: "Show what was found",
    prune: "Show the subset",
    select_instructions: "Show what is kept",
    relabel: "Show the suggestions",
    certify: "Show the guarantee",
  } as Record<string, string>,
  numbered: (id: string) => `Job ${id}`,
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
    noneText:
      "A subset is the part of the labels that is good to train on. Ask on the Jobs page what to train on.",
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
      `${id}: ${method}, ${kept.toLocaleString(locale)} kept`,
    everything: "Everything labeled",
    choiceHint: "Which labels to learn from. Those that a subset drops are judged all the same.",
    inUse: (id: number, method: string, kept: number, labeled: number) =>
      `Rounds train on subset ${id} (${method}), which keeps ${kept.toLocaleString(locale)} of ${labeled.toLocaleString(locale)} labels, and on what was labeled or corrected since.`,
    keptOf: (kept: number, labeled: number) =>
      `${kept.toLocaleString(locale)} of ${labeled.toLocaleString(locale)}`,
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
      `Both keep ${common.toLocaleString(locale)} of the ${union.toLocaleString(locale)} labels that one of them keeps: Jaccard ${jaccard}.`,
    figure: "Figure",
    kept: "Kept",
    only: "Only here",
    noise: "Noise",
    known: "Truth known",
    keptAs: (name: string) => `Kept as ${name}`,
    onlyIn: (id: number) => `Only in subset ${id}`,
    onlyHint: (shown: number, all: number) =>
      shown < all
        ? `The first ${shown} of ${all.toLocaleString(locale)}, by rank.`
        : "By rank, the first to keep first.",
    nothing: "Nothing: the other subset keeps it all.",
  },
  subset,
  relabel,
  comparison,
};
