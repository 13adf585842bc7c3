/** What is written beside a verdict. */
export const note = {
  name: "Note",
  change: (text: string) => `Change the note: ${text}`,
  hint: "Enter keeps it, Esc drops it. It goes with your verdict.",
  touch: "It goes with your verdict.",
  left: (count: number) => (count === 1 ? "1 character left" : `${count} characters left`),
  help: "Note: some words beside your verdict, for those who look at it later",
  helpTouch: "Note: some words beside your verdict, for those who look at it later.",
  reviewer: (verdict: string) => `A reviewer said: ${verdict}`,
  fromReviewer: (verdict: string) => `${verdict}, with a note from a reviewer`,
  written: "Notes",
  with: "With a note",
};
