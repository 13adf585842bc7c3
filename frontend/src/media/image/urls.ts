/** Of the rules by which the server makes pictures, as in `image_url`. */
const VERSION = 2;

/** The sizes of small versions that the server makes: their longer side. */
type Size = 64 | 128 | 256 | 512 | typeof SCREEN;

export const SCREEN = 2000;
/** Above so many pixels an image is shown at the size of a screen first; as on the server. */
const LARGE = 4_000_000;

/** A small version of what is at an `image_url`. */
export const sized = (url: string, size: Size): string =>
  `${url}${url.includes("?") ? "&" : "?"}size=${size}`;

/** What has no size is no picture. */
type Picture = { image_url: string; width: number | null; height: number | null };

/** What to show of an image on a screen, until somebody zooms in: of large ones a smaller version. */
export function onScreen(picture: Picture): string {
  const { image_url: url } = picture;
  const [width, height] = [picture.width ?? 0, picture.height ?? 0];
  return width * height > LARGE && Math.max(width, height) > SCREEN ? sized(url, SCREEN) : url;
}

/** The address of a small picture of an example of which no more is known. */
export const imageUrl = (id: number, size: Size = 128): string =>
  sized(`/api/examples/${id}/image?v=${VERSION}`, size);

/** Why the server shows no image, in its words; null if it would not say. */
export async function imageProblem(url: string): Promise<string | null> {
  try {
    const response = await fetch(url, { redirect: "manual" });
    if (response.ok || response.type === "opaqueredirect") return null;
    const problem: { detail?: string } = await response.json();
    return problem.detail ?? null;
  } catch {
    return null;
  }
}
