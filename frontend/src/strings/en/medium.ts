/** What a project holds: the first question of a new one. */
export const medium = {
  title: "What does it hold?",
  titles: { image: "Images", text: "Texts" },
  hints: {
    image: "Photographs, scans, drawings: from folders, archives, Parquet or a bucket.",
    text: "Reviews, tickets, posts, documents: from tables, JSON Lines, Parquet or files.",
  },
  names: { image: "Pollinators on meadow flowers", text: "Questions to the help desk" },
};
