/** Looking for words in texts. */
export const search = {
  label: "Words in the texts",
  placeholder: "Find words in all texts…",
  hint: "All words have to be in a text; “words in quotes” as they stand, or between words for either, a minus before one for texts without it.",
  none: "No text has all of these words",
  noneHere: "No text of this split has all of these words",
  everySplit: "Look in every split",
  noneText:
    "Words are looked for whole: try fewer of them, another form, or write or between them. Quotes look for words as they stand beside each other.",
  clear: "Clear the search",
};
