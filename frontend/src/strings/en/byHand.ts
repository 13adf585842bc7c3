import { plural } from "./words";

const images = (value: number) => plural(value, "image", "images");

/** Verdicts that are given in the pool, whether or not anybody has been asked. */
export const byHand = {
  takeBack: "Take back",
  takeBackText: "What you said here counts no more, and what others said does again.",
  takenBack: "Taken back",
  said: (name: string) => `Saved: ${name}`,
  refused: (name: string) => `${name} was left as it is`,
  reasons: {
    looked_at: "Somebody is looking at it just now. Try again in some minutes.",
    in_open_group: "People rank its group in a round that is open; say it once that is closed.",
    last_of_round: "It is the last that its round waits for: answer it on the label page.",
    not_judged: "There is no verdict of yours here to take back.",
    held_out: "It is held out.",
  } as Record<string, string>,
  show: "Show it",
  edit: "Edit boxes",
  draw: "Draw boxes",
  editing: (name: string) => `Boxes of ${name}`,
  escape: "Escape, pressed until nothing is chosen and no class is in your hand, closes.",
  leave: {
    title: "Leave without saving?",
    text: "What you have changed on this image is lost.",
    action: "Leave",
  },
  many: {
    action: "Label as…",
    title: (count: string) => `Label ${count}`,
    text: "Your verdict is a review: it costs nothing, stands above what annotators say, and takes what waits out of the queue. What was said before stays in the history.",
    as: "As",
    choose: "Choose…",
    takeBack: "Take back what I said",
    confirm: "Label",
    done: (name: string, number: number) => `${images(number)} labeled: ${name}.`,
    takenBack: (number: number) => `Your verdict on ${images(number)} was taken back.`,
  },
};
