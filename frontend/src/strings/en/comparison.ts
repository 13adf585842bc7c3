import { locale } from "../language";
import { plural } from "./words";

/** What jobs have found. */
export const comparison = {
  title: "Regularizers compared",
  from: (inside: number, ood: number) =>
    `Learned from ${inside.toLocaleString(locale)} labeled images and ${ood.toLocaleString(locale)} of none of the classes, each with the same seed and the same number of steps.`,
  judged: (images: number, ood: number) =>
    `Judged by ${images.toLocaleString(locale)} evaluation images and ${ood.toLocaleString(locale)} of none of the classes, which no method has seen.`,
  judgedHeldOut: (images: number, ood: number) =>
    `There are no evaluation images, so ${plural(images, "labeled image was", "labeled images were")} kept to judge by, and ${ood.toLocaleString(locale)} of none of the classes; none was learned from.`,
  weights: (taufe: number, oat: number | undefined) =>
    `Images of none of the classes have the weight ${taufe} in TAUFE${oat === undefined ? "" : ` and ${oat} in OAT`}.`,
  leftOut: (labels: number) => `The subset in use left out ${plural(labels, "label", "labels")}.`,
  few: "So few images judge that differences of a few percent are chance.",
  unlabeled: (images: number, leftOut: number) =>
    `All but the first learned from ${plural(images, "image", "images")} without a label as well${
      leftOut > 0
        ? `; ${plural(leftOut, "other was", "others were")} left out, being probably none of the classes.`
        : "."
    }`,
  attackedImages: (images: number) =>
    `${images.toLocaleString(locale)} of the images that judge were attacked too: their pixels were moved a little, to where the network errs.`,
  methods: {
    supervised: {
      supervised: "Labels alone",
      standard: "Plain training",
      oat: "OAT",
      taufe: "TAUFE",
    },
    mixmatch: {
      supervised: "Labels alone",
      standard: "MixMatch",
      oat: "MixMatch, OAT",
      taufe: "MixMatch, TAUFE",
    },
    adversarial: {
      supervised: "Images as they are",
      standard: "Adversarial",
      oat: "Adversarial, OAT",
      taufe: "Adversarial, TAUFE",
    },
  },
  figures: "Figures",
  figuresHint:
    "95 % intervals are in brackets. The best of a line is bold where its interval holds no other. Higher is better, but for similarity and FPR95.",
  figure: "Figure",
  accuracy: "Accuracy",
  attacked: "Accuracy on attacked images",
  similarity: "Similarity of classes",
  scores: { msp: "largest probability", energy: "energy" },
  auroc: (score: string) => `AUROC, ${score}`,
  aupr: (score: string) => `AUPR out, ${score}`,
  fpr: (score: string) => `FPR95, ${score}`,
  perClass: "Accuracy by class",
  class: "Class",
  next: "For the next rounds",
  nextHint:
    "The rounds that follow train this network anew in this way, on all labels there are then, or without those that a subset in use drops. What is there stays.",
  models: "Models",
  modelsHint:
    "Rounds learn from labels alone, and from images as they are, so they cannot train like these; plain training, OAT and TAUFE they can.",
  use: "Use",
  forNextRounds: (method: string) => `Use ${method} for the next rounds`,
  inUse: "In use",
  used: (method: string, model: string) =>
    `The next rounds train ${method}. Before, the model was ${model}.`,
  undo: "Undo",
  download: "Model file",
  map: "Map of the features",
  mapHint:
    "Each point is an image that none has learned from. Who is near whom means something; where it all lies does not.",
  mapPoint: "Point at an image to see it here.",
  mapOf: (method: string, images: number) => `${method}: ${plural(images, "image", "images")}`,
  ood: "None of the classes",
};
