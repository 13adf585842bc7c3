import { locale } from "../language";

export const inputSize = {
  label: "Model input size",
  chosen: "Chosen by the first import",
  hint: "Side of the square the model sees, in pixels. Of an image that is not square the shorter side is scaled to it, and the centre is seen. More pixels tell more, and take longer.",
  stored:
    "Side of the square the model sees, in pixels: the centre of an image that is not square. Another size makes the images anew.",
  choice: ({ width, height, side }: { width: number; height: number; side: number }) =>
    `Images are typically ${width.toLocaleString(locale)} × ${height.toLocaleString(locale)}; the model sees ${side} × ${side}.`,
  resize: "Resize images",
  from: (before: number, after: number) => `From ${before} × ${before} to ${after} × ${after}`,
  resizeHint:
    "The images are made anew from their originals. Annotators go on; rounds and imports wait until it is done, and the next round embeds every image again. Rounds that are closed keep their results.",
};
