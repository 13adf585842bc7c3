import { plainName } from "../../api/imports";
import type { Medium } from "../../strings/medium";
import { type Kind, kinds } from "./kinds";

/** What an example is called. */
const EXAMPLE: Record<Medium, RegExp> = {
  image: /\.(jpe?g|jpe|jfif|png|webp|bmp|gif|tiff?|avif|hei[cf]|hif)$/i,
  text: /\.(txt|md|markdown|text)$/i,
};
/** Collections of texts often give no ending, or a number. */
const UNNAMED_TEXT = /(^|\/)([^./]+|[^/]*\.\d+)$/;
export const METADATA = /(^|\/)metadata\.(csv|jsonl)$/i;
export const TABLE = /\.(csv|tsv|jsonl|parquet)$/i;
export const DOCUMENT = /\.json$/i;
/** What may say something of an image that it is called like. */
const BESIDE = /\.(txt|cls|json)$/i;
/** Boxes of YOLO, Pascal VOC and CVAT, and what their numbers stand for. */
const OF_BOXES = /\.(txt|xml|ya?ml)$|(^|\/)obj\.names$/i;
/** More than so many describe an image each, which nobody does without calling them like these. */
const MOST_DOCUMENTS = 100;
/** Hidden files and what operating systems leave lying about are no part of a pool. */
const LITTER = /(^|\/)(\.|__MACOSX\/|(thumbs\.db|desktop\.ini)$)/i;

export const isLitter = (path: string): boolean => LITTER.test(path);

export const isExample = (name: string, medium: Medium): boolean => EXAMPLE[medium].test(name);

/** Whether a file may be part of a pool, as far as its path tells. */
function mayBeWanted(path: string, holds: Kind): boolean {
  if (isLitter(path)) return false;
  // What says something may be compressed; images are by themselves.
  const plain = plainName(path);
  if (METADATA.test(plain) || DOCUMENT.test(plain)) return true;
  if (holds === "instructions") return TABLE.test(plain);
  if (holds === "text")
    return isExample(plain, "text") || UNNAMED_TEXT.test(path) || TABLE.test(plain);
  return isExample(path, "image") || (holds === "boxes" ? OF_BOXES : BESIDE).test(plain);
}

/** Of the files of a folder those that are sent: what the server reads, and would miss. */
export function wantedOf<File extends { path: string }>(files: File[], holds: Kind): File[] {
  const possible = files.filter(({ path }) => mayBeWanted(path, holds));
  if (kinds[holds].medium === "text") return possible;
  const images = possible.filter(({ path }) => isExample(path, "image"));
  const stems = new Set(images.map(({ path }) => stemOf(path)));
  const said = possible.filter(({ path }) => {
    const plain = plainName(path);
    return !BESIDE.test(plain) || DOCUMENT.test(plain) || stems.has(stemOf(plain));
  });
  return withoutTooMany(holds === "boxes" ? possible : said, images);
}

/** The files of a folder by whether they are sent; of those that nobody knows to be there, neither. */
export function divided<File extends { path: string }>(files: File[], holds: Kind) {
  const wanted = wantedOf(files, holds);
  const sent = new Set(wanted);
  return { wanted, left: files.filter((one) => !sent.has(one) && !isLitter(one.path)) };
}

/** How many files there are of each kind, the most frequent first: by their endings, none for "". */
export function kindsOf(paths: string[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const path of paths) {
    const ending = /[^/](\.[^./\s]{1,12})$/.exec(plainName(path))?.[1]?.toLowerCase() ?? "";
    counts.set(ending, (counts.get(ending) ?? 0) + 1);
  }
  return [...counts].sort(([a, one], [b, other]) => other - one || a.localeCompare(b));
}

/** A path without its ending, as it is compared: macOS takes letters like é apart, others do not. */
export const stemOf = (path: string): string =>
  path.slice(0, path.lastIndexOf(".")).normalize("NFC");
export const nameOf = (path: string): string => stemOf(path.slice(path.lastIndexOf("/") + 1));

/** LabelMe has a document for each image, called like it, in whatever folder. */
function withoutTooMany<File extends { path: string }>(files: File[], images: File[]): File[] {
  const names = new Set(images.map(({ path }) => nameOf(path)));
  const isLone = ({ path }: File) => {
    const plain = plainName(path);
    return DOCUMENT.test(plain) && !names.has(nameOf(plain));
  };
  return files.filter(isLone).length > MOST_DOCUMENTS ? files.filter((one) => !isLone(one)) : files;
}
