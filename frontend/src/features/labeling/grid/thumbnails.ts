import { sized } from "../../../api/images";
import type { Tile } from "./model";

/** The longer side of the small pictures that the server makes. */
const SIZE = 256;
/** Images up to this size are drawn as crisp pixels. */
const PIXELS_UP_TO = 128;

/** Where a tile's picture is: the image itself where it is small. */
export function thumbnailOf({ subject }: Tile): string {
  const side = Math.max(subject.width, subject.height);
  return side > 0 && side <= SIZE ? subject.image_url : sized(subject.image_url, SIZE);
}

export function isPixelated({ subject }: Tile): boolean {
  const side = Math.max(subject.width, subject.height);
  return side > 0 && side <= PIXELS_UP_TO;
}
