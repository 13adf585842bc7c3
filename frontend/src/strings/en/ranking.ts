/** The set-up of a project of instructions. */
export const ranking = {
  basics: "What it is for",
  basicsHint: "There are no classes here: people put answers in order, the best one first.",
  guidelinesHint: "Shown to those who rank. Say what makes an answer good, and what is harmful.",
  rows: "Instructions",
  rowsHint:
    "JSON Lines, JSON, CSV or Parquet: instruction, input and output as in Alpaca, chats as messages, or conversations as in ShareGPT. Several answers may stand in one row, as a list. Rows without an answer are refused, with the number of their line.",
  people: "People",
  peopleHint: "They are asked where the judge is not sure, and about a few by chance.",
  overlapHint: "How many people put the same examples in order, to see how well they agree.",
  readyTitle: "The rows are there",
  readyText: "Choose the ones that are worth tuning on. Whom to ask about what is said there.",
  choose: "Choose instructions",
};
