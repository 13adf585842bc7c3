/** The set-up of a project of instructions. */
export const ranking = {
  basics: "What it is for",
  basicsHint: "There are no classes here: people put answers in order, the best one first.",
  guidelinesHint: "Shown to those who rank. Say what makes an answer good, and what is harmful.",
  rows: "Instructions",
  rowsHint:
    "JSON Lines, JSON, CSV, TSV or Parquet: instruction, input and output as in Alpaca, chats as messages, or conversations as in ShareGPT. Several answers may stand in one row, as a list. Answers that are compared come in with their ranking: chosen and rejected, or as Argilla and Label Studio have them. Rows without an answer are refused, with the number of their line.",
  takes: "Instructions are read from JSON Lines, JSON, CSV, TSV and Parquet.",
  dropHere: "Drop a file of instructions here: JSON Lines, JSON, CSV, TSV or Parquet",
  people: "People",
  peopleHint: "They are asked where the judge is not sure, and about a few by chance.",
  overlapHint: "How many people put the same examples in order, to see how well they agree.",
  readyTitle: "The rows are there",
  readyText:
    "Now choose the ones worth tuning on. The next page asks how, by which judge, and how many groups people are to rank.",
  choose: "Choose instructions",
  chosenTitle: "Instructions are chosen",
  chooseAgain: "Choose again",
};
