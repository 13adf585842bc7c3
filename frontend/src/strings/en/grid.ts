import { locale } from "../language";
import { plural } from "./words";

const images = (count: number) => plural(count, "image", "images");

const NONE = "none of the classes";

export const grid = {
  modes: "How to label",
  mode: { single: "One by one", grid: "Grid" },
  images,
  /** Headings of the groups. */
  back: "Taken back",
  backHint: "These keep their verdicts until you give others.",
  ood: "None",
  likelyOod: "Probably none of the classes",
  notPredicted: "No prediction",
  notPredictedHint: "No model says yet what these are.",
  groupName: (name: string, count: number) => `${name}, ${images(count)}`,
  rest: (name: string | null) => `The rest is ${name ?? NONE}`,
  all: (name: string | null) => `All are ${name ?? NONE}`,
  keep: "Keep them",
  select: "Select all",
  unselect: "Unselect all",
  selected: (count: number) => `${count.toLocaleString(locale)} selected`,
  noneSelected: "Choose images, then say what they are",
  given: (count: number, verdict: string) => `${images(count)}: ${verdict}`,
  unseen: (count: number) =>
    `${plural(count, "is left: it was", "are left: they were")} not shown yet.`,
  undone: (count: number, verdict: string) => `Taken back: ${images(count)}, ${verdict}`,
  verdictBar: "Verdict on what is selected",
  density: "Images at once",
  larger: "Show larger",
  preview: "Larger picture",
  previewHint: "Point at an image, or move to it, to see it here.",
  predicted: (name: string, percent: string) => `${name}, ${percent}`,
  inside: (percent: string) => `One of the classes: ${percent}`,
  tile: (name: string, id: number) => name || `Image ${id}`,
  helpTitle: "Keys of the grid",
  helpRows: {
    move: "Move from image to image; with Shift choose on the way",
    toggle: "Choose the image, or not",
    group: "Choose the whole group",
    clear: "Choose nothing",
    verdict: "Give the verdict to what is chosen, or else to the image at the keys",
    confirm: "The rest of the group is what its heading says",
    undo: "Undo: take back everything that was judged last",
    look: "Show the image larger",
    resize: "Fewer or more images at once",
    mode: "One image at a time",
    help: "Show or hide this",
  },
};
