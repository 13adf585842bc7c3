/** What a project holds: the first question of a new one. */
export const medium = {
  title: "What does it hold?",
  titles: { image: "Images", text: "Texts" },
  hints: {
    image: "Photographs, scans, drawings: from folders, archives, Parquet or a bucket.",
    text: "Reviews, tickets, posts, documents: from tables, JSON Lines, Parquet or files.",
  },
  textColumn: {
    label: "Column with the texts",
    hint: "As the table calls it. Empty before an import: found by itself, where only one can be meant.",
    again: "Read this column",
  },
  names: { image: "Pollinators on meadow flowers", text: "Questions to the help desk" },
};
