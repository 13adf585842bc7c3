import { locale } from "../language";
import { plural } from "./words";

const SHOWN = 10;

const listed = (names: string[]): string => {
  const more = names.length - SHOWN;
  const shown = names.slice(0, SHOWN).map((name) => `“${name}”`);
  return shown.join(", ") + (more > 0 ? ` and ${more.toLocaleString(locale)} more` : "");
};

export const exports = {
  title: "Exports",
  hint: "Streamed, and safe to take while annotators work; the audit log notes each. An import reads each of them again, and of what people said all that the format has a place for.",
  counts: (labeled: number, ood: number, unsure: number) =>
    `${plural(labeled, "image", "images")} labeled, ${ood.toLocaleString(locale)} none of the classes (OOD), ${unsure.toLocaleString(locale)} unsure.`,
  nothing: "No image has a label yet.",
  annotations: "Annotations",
  holding: "Only what holds now",
  holdingHint: "One row an image, without corrected, late and outvoted verdicts.",
  bom: "CSV for Excel",
  bomHint: "Begins with a byte order mark, by which Excel knows that the text is UTF-8.",
  people: "Only labels by people",
  peopleHint:
    "Without those that the model gave with a guarantee; their images count as unlabeled.",
  unseen: (names: string[]) =>
    `No evaluation image shows ${listed(names)}: what is measured with an export says nothing of it.`,
  noEvaluation: "There is no evaluation image: nothing can be measured with an export.",
  unlabeledClasses: (names: string[]) =>
    `No labeled image shows ${listed(names)}: nothing can be trained on it.`,
  emptyFolders:
    "YOLO keeps an empty folder for such a class, so that the numbers of classes agree; its CLASSES.txt says how it is read.",
  only: (found: string) => `Only what the pool page showed: ${found}.`,
  onlyHint:
    "The file says by which filters it was chosen. Nothing is said of how many labels of the model may be wrong in it: that is promised of all of them together.",
  onlyShown: "Show in the pool",
  everything: "Export everything",
  images: "Images with their labels",
  unlabeled: "Also images that nobody has judged",
  unlabeledHint: "For moving a whole project. Folders by class hold labeled images either way.",
  rows: "Instruction data",
  rowsHint:
    "Streamed, and safe to take while people rank; the audit log notes each. An import takes all of them back; what people said comes with the rankings.",
  formats: {
    csv: { title: "CSV", text: "Every verdict ever given, one a row, oldest first." },
    jsonl: { title: "JSON Lines", text: "The same, one JSON object a line, for programs." },
    imagefolder: {
      title: "Folders by class",
      text: "A zip with a folder for each class: only images that are labeled with one. OOD, unsure and skipped images are left out.",
    },
    yolo: {
      title: "YOLO classification",
      text: "A zip with train and val, a folder for each class in both, so that class numbers agree. OOD, unsure and skipped images stand beside them.",
    },
    coco: {
      title: "COCO",
      text: "A zip of images and annotations.json. OOD images have no annotation; undecided ones are in a list of their own.",
    },
    label_studio: {
      title: "Label Studio",
      text: "A zip of images, tasks as JSON and the labeling interface. A skip is a cancelled annotation; OOD and unsure are choices of their own.",
    },
    voc: {
      title: "Pascal VOC",
      text: "A zip of images with an XML for each, pixels counted from 1. An XML without objects says that there is nothing; OOD and undecided images stand beside them.",
    },
    cvat: {
      title: "CVAT for images 1.1",
      text: "A zip of images and annotations.xml, with the boxes, their attributes, and which are occluded. OOD and undecided images stand beside them.",
    },
    doccano: {
      title: "doccano",
      text: "One JSON object a line, with a text and its label, as doccano reads and writes them. Who said it is left out.",
    },
    parquet: {
      title: "Parquet (Hugging Face)",
      text: "One file that datasets loads: image, label, verdict, round, model version, split, and every vote.",
    },
    alpaca: {
      title: "Alpaca",
      text: "One JSON object a line with instruction, input and output, without what people called wrong or OOD.",
    },
    messages: {
      title: "Chats",
      text: "One JSON object a line with messages, each with its role and content, without what people called wrong or OOD.",
    },
    rankings: {
      title: "Rankings",
      text: "One JSON object a line for each group that people were asked to rank: its rows, what they agree on, and who said what.",
    },
  },
  /** What formats hold of rows of instruction data. */
  ofRows: {
    parquet: {
      title: "Parquet (Hugging Face)",
      text: "One file that datasets loads: every row with its parts, its messages, its state, and whether people called it wrong.",
    },
  },
  /** What formats hold in a project of boxes. */
  boxes: {
    csv: { title: "CSV", text: "Every verdict ever given, one a row, with its boxes as JSON." },
    yolo: {
      title: "YOLO detection",
      text: "A zip of images/train and labels/train, val likewise, and data.yaml. An empty text says that there is nothing; OOD and undecided images stand beside them. YOLO has no place for flags and attributes of boxes: only metadata.jsonl has them.",
    },
    coco: {
      title: "COCO",
      text: "A zip of images and annotations.json. An image without annotations is one with nothing in it; OOD and undecided images are in lists of their own.",
    },
    parquet: {
      title: "Parquet (Hugging Face)",
      text: "One file that datasets loads: image, objects with bbox and category, verdict, split, and every vote.",
    },
  },
  download: "Download",
  downloadThis: (title: string) => `Download ${title}`,
  onlyJson: "JSON only",
  onlyJsonOf: (title: string) => `Download ${title}, JSON only`,
};
