import { locale } from "../language";
import { plural } from "./words";

const images = (value: number) => plural(value, "image", "images");

/** Of taking images out of a project for good. */
export const withdrawal = {
  images: {
    action: "Withdraw",
    title: (number: number) => `Withdraw ${images(number)} for good?`,
    confirm: "Withdraw for good",
  },
  import: {
    action: "Take back",
    title: (number: number) => `Take back the ${images(number)} of this import for good?`,
    confirm: "Take back for good",
  },
  counting: "Counting…",
  answered: (number: number, of: number) =>
    of === 1
      ? "It has answers. These are kept, and count no more."
      : `${number.toLocaleString(locale)} of them ${number === 1 ? "has" : "have"} answers. These are kept, and count no more.`,
  text: "Originals, names, metadata, features and all that models found go, from exports and snapshots, too. Of each image a number is left. Whoever imports one again adds a new image.",
  forGood: "This cannot be taken back.",
  states: {
    withdrawing: (number: number, done: number) =>
      `Withdrawing: ${done.toLocaleString(locale)} of ${images(number)}.`,
    erasing: (number: number, _done: number) =>
      `${images(number)} withdrawn. What files still hold goes once no job of the project runs.`,
    done: (number: number, _done: number) =>
      `${images(number)} withdrawn, and erased from all files.`,
  },
  takenBack: (number: number) => `${images(number)} taken back`,
};
