import { locale } from "../language";

export type Choice = { width: number; height: number; side: number; fit?: "crop" | "pad" };

export const inputSize = {
  label: "Model input size",
  chosen: "Chosen by the first import",
  hint: "Side of the square the model sees, in pixels. More pixels tell more, and take longer.",
  stored: "Side of the square the model sees, in pixels. Another one makes the images anew.",
  fit: {
    label: "Models see",
    names: { pad: "The whole image", crop: "The middle square" },
    hints: {
      pad: "An image that is not square is made smaller until all of it fits; beside it there are plain bars.",
      crop: "Of an image that is not square the ends of the longer side are never seen: nothing there is learned or found.",
    },
    to: {
      pad: "From the middle square to the whole image",
      crop: "From the whole image to the middle square",
    },
    both: (fit: string, before: number, after: number) =>
      `${fit}; from ${before} × ${before} to ${after} × ${after}`,
  },
  choice: ({ width, height, side, fit }: Choice) =>
    `Images are typically ${width.toLocaleString(locale)} × ${height.toLocaleString(locale)}; the model sees ${fit === "pad" ? "all of each within " : ""}${side} × ${side}.`,
  resize: "Resize images",
  from: (before: number, after: number) => `From ${before} × ${before} to ${after} × ${after}`,
  resizeHint:
    "The images are made anew from their originals. Annotators go on; rounds and imports wait until it is done, and the next round embeds every image again. Rounds that are closed keep their results.",
};
