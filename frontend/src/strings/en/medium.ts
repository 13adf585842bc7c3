/** What a project holds: the first question of a new one. */
export const medium = {
  title: "What is it about?",
  titles: {
    image: "Images",
    boxes: "Objects in images",
    text: "Texts",
    instructions: "Instructions for an assistant",
  },
  hints: {
    image:
      "One class for each. Photographs, scans, drawings: from folders, archives, Parquet or a bucket.",
    boxes: "A box around each thing of a class: cars in a street, cells under a microscope.",
    text: "Reviews, tickets, posts, documents: from tables, JSON Lines, Parquet or files.",
    instructions:
      "Questions with answers, to tune a language model on: the few that are worth it are chosen.",
  },
  textColumn: {
    label: "Column with the texts",
    hint: "As the table calls it. Empty before an import: found by itself, where only one can be meant.",
    again: "Read this column",
  },
  names: {
    image: "Pollinators on meadow flowers",
    boxes: "Bicycles in traffic",
    text: "Questions to the help desk",
    instructions: "What our assistant learns from",
  },
};
