import { locale } from "../language";
import { plural } from "./words";

/** Comparing how well things are found, and showing where a model looks. */
export const localization = {
  title: "Localization compared",
  from: (inside: number, ood: number) =>
    `Learned from ${plural(inside, "image", "images")} with one box and ${ood.toLocaleString(locale)} of none of the classes, each with the same seed and the same number of steps.`,
  judged: (images: number) =>
    `Judged by ${plural(images, "evaluation image", "evaluation images")} that none has seen.`,
  judgedHeldOut: (images: number) =>
    `There are no evaluation images, so ${plural(images, "labeled image was", "labeled images were")} kept to judge by.`,
  few: "So few images judge that differences of a few percent are chance.",
  leftOut: (none: number, several: number, cropped: number) =>
    `Left out: ${plural(none, "image", "images")} without a box, ${several.toLocaleString(locale)} with several, and ${cropped.toLocaleString(locale)} whose box lies mostly outside the square that models see.`,
  how: {
    cam: "The network learned classes alone; its boxes are read off class activation maps, for the true class.",
    regression: "The network learned the box itself.",
  },
  refused:
    "OAT was not compared: it makes the class probabilities of images of none of the classes uniform, and a network that regresses boxes has none.",
  methods: { standard: "Plain training", oat: "OAT", taufe: "TAUFE" },
  guesses: { mean_box: "Mean box", whole_image: "Whole image" },
  figures: "Figures",
  figuresHint:
    "The best method of each line is bold. The mean box and the whole image are what one gets without looking.",
  figure: "Figure",
  iou: "Mean IoU",
  found: (overlap: string) => `Found (IoU ≥ ${overlap})`,
  gtKnown: (overlap: string, threshold: string) =>
    `GT-known Loc (IoU ≥ ${overlap}, threshold ${threshold})`,
  maxBoxAcc: "MaxBoxAcc (best threshold)",
  bestThreshold: "Best threshold",
  accuracy: "Accuracy of classes",
  constant: "Maps without a peak",
  maxNote:
    "The best threshold is chosen on the images that judge, so MaxBoxAcc is what one could reach, and not what one gets.",
  curves: "Curves",
  byOverlap: "Found, by IoU",
  byOverlapHint: "The share of images whose box overlaps the true one at least so much, in %",
  byThreshold: "Found, by threshold",
  byThresholdHint: "The share found where the map is cut at so many % of its peak",
  at: (x: number) => `${x} %`,
  images: "Images",
  imagesHint: "Some of the images that judge. The true box is dashed, the one found is gold.",
  method: "Method",
  shown: "Show",
  boxes: "Boxes",
  map: "Boxes and map",
  order: "Order",
  orders: { given: "At random", worst: "Worst first", best: "Best first" },
  image: (name: string, iou: string) => `${name}, IoU ${iou}`,
  iouOf: (iou: string) => `IoU ${iou}`,
  more: "Show all",
  where: {
    action: "Where does the model look?",
    key: "Where does the model look? (W)",
    hide: "Hide where the model looks",
    class: "Class",
    said: "What the model says",
    looking: "A worker looks at it …",
    says: (round: number, name: string, share: string) =>
      `The model of round ${round} gives ${name} ${share}.`,
    saysOther: (round: number, name: string, share: string, other: string) =>
      `The model of round ${round} gives ${name} ${share}; it says ${other}.`,
    hint: "Bright is what speaks for the class. The box is around the largest bright part.",
    nothing: "Nothing stands out.",
    alt: (image: string, name: string) => `${image}, lit up where the model sees ${name}`,
  },
};
