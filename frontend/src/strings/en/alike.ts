import { locale } from "../language";
import { plural } from "./words";

const images = (value: number) => plural(value, "image", "images");
const copies = (value: number) => plural(value, "copy", "copies");

/** Finding what is similar, and what is there twice. */
export const alike = {
  find: "Find similar",
  findKey: "Find similar images (S)",
  findSelected: "Find similar",
  file: "Find by a file…",
  drop: "Drop an image to find what is like it",
  dropText: "Nothing is added to the pool.",
  looking: "Looking at the file…",
  notOne: "Drop one image file.",
  paste: {
    title: "Find what is like a text",
    label: "Text",
    hint: "Nothing is added to the pool. A file can be dropped on the page, too.",
  },
  words: {
    label: "What the images show",
    placeholder: "Describe it: a dog on a sofa",
    hint: "Enter puts the images first that fit the words best. It works best in English.",
    looking: "Looking for it…",
    seeing: "The first search looks at every image once",
    left: (time: string) => `about ${time} left`,
    title: "First what fits best:",
  },
  title: "Similar to",
  toFile: "a file",
  more: (number: number) => `and ${number.toLocaleString(locale)} more`,
  end: "Show all images",
  notCompared: "Outliers are known once all images have been compared.",
  duplicates: "Duplicates",
  allImages: "All images",
  group: (id: number) => `The same picture as image ${id}`,
  compare: "Compare all images",
  never: "Nobody has compared the images yet",
  neverText:
    "Karat looks for images that show the same picture: saved anew, in another size, or brighter. It compares them by the features that rounds work with.",
  none: "No picture is there twice",
  noneText: (number: number) => `${images(number)} were compared.`,
  noneOfKind: "No such group.",
  stale: (number: number) =>
    `${images(number)} came after the last comparison. Once a round has embedded them, compare again to find their copies.`,
  found: (groups: number, number: number) =>
    `${groups.toLocaleString(locale)} ${groups === 1 ? "picture" : "pictures"} more than once, ${copies(number)}`,
  which: "Groups",
  kinds: {
    all: (number: number) => `All (${number.toLocaleString(locale)})`,
    leaking: (number: number) => `Also in evaluation (${number.toLocaleString(locale)})`,
    contradicting: (number: number) => `Contradicting (${number.toLocaleString(locale)})`,
  },
  leaking: (groups: number) =>
    groups === 1
      ? "One picture is both in the pool and among the images to evaluate on."
      : `${groups.toLocaleString(locale)} pictures are both in the pool and among the images to evaluate on.`,
  leakingText:
    "A model that has learned a picture knows the answer. Hold the copies in the pool out; images to evaluate on whose copy has a verdict already are left out of the accuracy.",
  mend: "Hold the copies out",
  mendAll: "Keep one of each, hold the others out",
  mendAllText:
    "Of each group one image stays: one to evaluate on, or with a verdict, if there is any. Images that somebody has answered, or looks at, stay as well; those in the queue leave it.",
  mendTitle: (groups: number) =>
    `Keep one image of ${groups.toLocaleString(locale)} ${groups === 1 ? "group" : "groups"}?`,
  keepOne: "Keep one, hold out the others",
  say: "Say what all are",
  saying: (number: number) => `A verdict for ${images(number)}`,
  open: "Open",
  row: (id: number, number: number) => `Group of image ${id}, ${images(number)}`,
  size: images,
  split: {
    pool: (number: number) => `${number.toLocaleString(locale)} in the pool`,
    evaluation: (number: number) => `${number.toLocaleString(locale)} to evaluate on`,
    auxiliary_ood: (number: number) => `${number.toLocaleString(locale)} known to be none`,
    held_out: (number: number) => `${number.toLocaleString(locale)} held out`,
  },
  said: (name: string, number: number) => `${name}: ${number.toLocaleString(locale)}`,
  contradicts: "Verdicts contradict each other",
  leaks: "In pool and evaluation",
  further: (number: number) => `+${number.toLocaleString(locale)}`,
  nextGroups: "More groups",
  judged: (number: number) => `${images(number)} have the verdict.`,
  copies: (number: number) => `Same ×${number}`,
  copiesHint: "The same picture several times: one key judges all",
};
