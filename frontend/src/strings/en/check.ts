const some = (names: string[]): string =>
  names.length > 10 ? `${names.slice(0, 10).join(", ")}, …` : names.join(", ");

/** Finding the wrong labels of a data set that is labeled already. */
export const check = {
  title: "Find the wrong labels",
  dropTitle: "Begin with what you have",
  dropHint:
    "Images or texts without labels become a project to label them. Of a data set that is labeled already, Karat finds the labels that are probably wrong, and you decide on each with one key. Images with boxes come in with these, and instructions with their answers.",
  dropHere:
    "Drop images or texts here, with labels or without, or instructions: files, a folder, a zip or tar, a Parquet file, or a table (CSV, TSV, JSON Lines, JSON)",
  refused: (name: string) =>
    `${name} cannot be used here. Drop images or texts, a folder, zip or tar of them, a Parquet file, or a table with a column of texts, or of instructions and answers; a CSV or COCO file beside its images can be checked with karat check.`,
  what: (name: string) => `What is to be done with ${name}?`,
  unlabeled:
    "There are no labels yet. This becomes a project in which you name the classes and label image after image; what comes in is shown before anything is stored.",
  hints: {
    classification:
      "To find wrong labels, folders or a column of labels become the classes, all images come in with their labels, and each label is judged by the others.",
    boxes:
      "There are boxes around what is in the images. This becomes a project of boxes, with the classes that these name; what comes in is shown before anything is stored.",
    instructions:
      "There are instructions with answers. This becomes a project in which people put answers in order, and the instructions worth tuning on are chosen; what comes in is shown before anything is stored.",
  },
  goOn: {
    classification: "Label by hand",
    boxes: "Go on with the boxes",
    instructions: "Go on with the instructions",
  },
  textColumn: "Column with the texts",
  labelColumn: "Column with the labels",
  find: "Find the wrong labels",
  meanwhile:
    "Keep this page open until it looks for wrong labels: that goes on without you, and its result is on the Jobs page. Whoever leaves earlier comes back to this address, and it goes on.",
  steps: {
    sending: "Send the data set",
    reading: "Read which labels there are",
    importing: "Take in images and labels",
    judging: "Look for wrong labels",
  },
  packing: "Packing …",
  next: "Going on …",
  nothingSent: "Nothing was sent for this project. Drop the data set again.",
  toSettings: "Set it up by hand",
  noLabels:
    "Nothing in it says what any image is. Put the images into a folder for each class, or name the column of labels label.",
  oneClass: (name: string) =>
    `All labels are the same, ${name}. Labels are judged by comparing classes with each other; add images of another class.`,
  onlySingle: (names: string[]) =>
    `Each class has a single image (${some(names)}), of which nobody could say whether it is right.`,
  single: (names: string[]) =>
    `These have a single image, of which nobody could say whether its label is right; it comes in without one: ${some(names)}.`,
  cut: "The labels are in another tool's document with many classes. Type the classes on the project's page, import it there, and start Relabel on the Jobs page.",
};
