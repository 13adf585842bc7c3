import { locale } from "../language";
import { plural } from "./words";

export const exports = {
  title: "Exports",
  hint: "Streamed, and safe to take while annotators work; the audit log notes each. An import reads every one of them again, with the verdicts as they were.",
  counts: (labeled: number, ood: number, unsure: number) =>
    `${plural(labeled, "image", "images")} labeled with a class, ${ood.toLocaleString(locale)} OOD, ${unsure.toLocaleString(locale)} unsure.`,
  nothing: "No image has a label yet.",
  annotations: "Annotations",
  holding: "Only what holds now",
  holdingHint: "One row an image, without corrected, late and outvoted verdicts.",
  images: "Images with their labels",
  unlabeled: "Also images that nobody has judged",
  unlabeledHint: "For moving a whole project. Labeled images in folders are the labeled ones only.",
  formats: {
    csv: { title: "CSV", text: "Every verdict ever given, one a row, oldest first." },
    jsonl: { title: "JSON Lines", text: "The same, one JSON object a line, for programs." },
    imagefolder: {
      title: "Folders by class",
      text: "A zip with a folder for each class: only images that are labeled with one.",
    },
    yolo: {
      title: "YOLO classification",
      text: "A zip with train and val, a folder for each class in both. OOD, unsure and skipped images stand beside them.",
    },
    coco: {
      title: "COCO",
      text: "A zip of images and annotations.json. OOD images have no annotation; undecided ones are in a list of their own.",
    },
    label_studio: {
      title: "Label Studio",
      text: "A zip of images, tasks as JSON and the labeling interface. A skip is a cancelled annotation; OOD and unsure are choices of their own.",
    },
    parquet: {
      title: "Parquet (Hugging Face)",
      text: "One file that datasets loads: image, label, verdict, round, model version, split, and every vote.",
    },
  },
  download: "Download",
  downloadThis: (title: string) => `Download ${title}`,
  onlyJson: "JSON only",
  onlyJsonOf: (title: string) => `Download ${title}, JSON only`,
};
