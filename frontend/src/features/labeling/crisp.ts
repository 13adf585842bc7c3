import type { SyntheticEvent } from "react";

/** Images of so few pixels are blurs when they are enlarged smoothly. */
const TINY = 40;

/** For `onLoad` of a thumbnail that may be enlarged. */
export function drawTinyCrisp({ currentTarget: image }: SyntheticEvent<HTMLImageElement>): void {
  const tiny = Math.max(image.naturalWidth, image.naturalHeight) <= TINY;
  image.style.imageRendering = tiny ? "pixelated" : "";
}
