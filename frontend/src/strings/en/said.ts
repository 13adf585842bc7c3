/** What pages call the parameters that the server names in what it says. */
const CONTROLS: [RegExp, string][] = [
  [/; say what it is with folder_split.*$/s, "; choose what becomes of it in the plan"],
  [
    /; say what they are with folder_split$/,
    "; say what they are with karat import --folder-split",
  ],
  [/; say which holds with key_column=.*$/s, "; choose the column that names the image"],
  [/; say which (?:does )?with text_column\.$/, "; choose the column with the texts."],
  [
    /, or say what the first class is with count_from=0 or count_from=1$/,
    ", or say under Numbers of classes what the first one is",
  ],
  [/\bRaise max_tokens, as /, "Raise “Longest answer (tokens)”, as "],
  [
    /; raise max_rounds, or leave it empty, and continue then\.$/,
    "; raise “Rounds” in the settings, or leave it empty, and continue then.",
  ],
  [
    /; take the subset_id of a finished job prune, or null\.$/,
    "; choose one of a finished pruning, or none.",
  ],
  [
    /; only one that succeeded can be started\. One that failed .*$/s,
    "; only one that succeeded can be started. Make one that failed anew, with other columns.",
  ],
  [/ first, under Account in the browser or with POST .*$/s, " first, under Account."],
];

/** What the server says, as it is told on a page. */
export const said = (sentence: string): string =>
  CONTROLS.reduce((text, [pattern, words]) => text.replace(pattern, words), sentence);
