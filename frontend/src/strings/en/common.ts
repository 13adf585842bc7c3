import type { Fault } from "../faults";
import { said } from "./said";
import { plural } from "./words";

type Bounds = Partial<Record<"min" | "above" | "max" | "below", number | undefined>> & {
  integer?: boolean | undefined;
};

export const common = {
  product: "Karat",
  disk: {
    low: (free: string) =>
      `The server's disk is nearly full: ${free} are left. Labeling goes on; uploads and new jobs are refused, and jobs wait until there is room.`,
    files: (left: number) =>
      `The server's disk takes only ${plural(left, "more file", "more files")}, however much room is left. Labeling goes on; uploads and new jobs are refused, and jobs wait until there are fewer files.`,
    look: "What takes it",
  },
  tagline: "Labels from pools that are not pure",
  loading: "Loading…",
  failed: "That did not work.",
  unreachable: "The server could not be reached.",
  tryingAgain: "The server does not answer yet. Trying again…",
  ofProxy: (status: number): string =>
    status === 413
      ? "A proxy in front of Karat lets nothing of this size through (HTTP 413). Whoever runs it can raise its limit."
      : `Something in front of Karat has answered in its place (HTTP ${status}).`,
  stepDone: "(done)",
  retry: "Try again",
  cancel: "Cancel",
  close: "Close",
  save: "Save",
  saving: "Saving…",
  delete: "Delete",
  remove: "Remove",
  copy: "Copy",
  copied: "Copied",
  notCopied: "Not copied: mark it yourself",
  notFoundTitle: "Not found",
  notFound: "There is nothing at this address.",
  toProjects: "To the projects",
  crashed: "This page has failed.",
  reload: "Reload",
  skipToContent: "Skip to the content",
  mainNavigation: "Main",
  projectNavigation: "Project",
  projects: "Projects",
  admin: "Admin",
  account: "Account",
  signOut: "Sign out",
  theme: { title: "Theme", system: "System", light: "Light", dark: "Dark" },
  language: "Language",
  shortcuts: { title: "Single-key shortcuts", on: "On", off: "Off" },
  accountMenu: (name: string) => `Account of ${name}`,
  /** Phases of jobs; further ones are shown by the name the server gives them. */
  phases: {
    mend: "Restore what was lost",
    snapshot: "Gather answers",
    gather: "Gather images",
    learn: "Learn",
    supervised: "Train on labels as they are",
    standard: "Plain training",
    oat: "Train with OAT",
    taufe: "Train with TAUFE",
    compare: "Compare",
    measure: "Measure",
    warm_up: "Warm up",
    prune: "Choose what to keep",
    embed: "Embed",
    warm_start: "Choose typical images",
    meta_train: "Train MQ-Net",
    train: "Train the model",
    evaluate: "Evaluate",
    score: "Score the pool",
    select: "Choose images",
    lots: "Divide into groups",
    propose: "Suggest first boxes",
    propose_more: "Suggest further boxes",
    publish: "Publish",
    check: "Look for the originals",
    fit: "Make the pixels",
    swap: "Put them in place",
    reduce: "Find the components",
    neighbours: "Find neighbours",
    layout: "Lay out",
    place: "Place the others",
    rank: "Take up rankings",
    second_opinion: "Ask a second model",
    judge: "Judge the labels",
    look: "Look at the file",
    search: "Search for pairs",
    outline: "Find the groups",
    store: "Store them",
    cluster: "Put alike ones together",
    ask: "Ask the judge",
    choose: "Choose what to keep",
  } as Record<string, string>,
  /** What the server says in a sentence of its own, such as a note of a round. */
  said,
  /** What it says of fields of a request, in that sentence and by what is wrong with each. */
  faults: (_: readonly Fault[], sentence: string): string => said(sentence),
  /** Values of parameters, told where there is no field. */
  values: { empty: "empty", on: "on", off: "off" },
  never: "never",
  sideways: (label: string) => `${label}, scrolls sideways`,
  moreSideways: "Scroll sideways for more",
  units: {
    // A number is not to stand at the end of a line, and its sign on the next.
    percent: (value: string) => `${value}\u00a0%`,
    over: (value: string) => `over ${value}`,
    under: (value: string) => `under ${value}`,
    milliseconds: (value: string) => `${value} ms`,
    seconds: (value: string) => `${value} s`,
    minutes: (minutes: number, seconds: number) =>
      seconds ? `${minutes} min ${seconds} s` : `${minutes} min`,
    hours: (hours: number, minutes: number) => `${hours} h ${minutes} min`,
    about: {
      moment: "less than a minute",
      minutes: (count: number) => (count === 1 ? "about a minute" : `about ${count} minutes`),
      hours: (count: string) => `about ${count} hours`,
      days: (count: string) => `about ${count} days`,
    },
  },
  numberNeeded: ({ integer, min, above, max, below }: Bounds) => {
    const number = integer ? "A whole number" : "A number";
    if (min !== undefined && max !== undefined) return `${number} from ${min} to ${max} is needed.`;
    const bounds = [
      min !== undefined && `of at least ${min}`,
      above !== undefined && `above ${above}`,
      max !== undefined && `up to ${max}`,
      below !== undefined && `below ${below}`,
    ].filter((bound) => bound !== false);
    return `${[number, bounds.join(", ")].filter(Boolean).join(" ")} is needed.`;
  },
};
