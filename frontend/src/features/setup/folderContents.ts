import type { Medium } from "../../strings/medium";

/** What a project holds, as far as the files of a folder matter to it. */
export type Holds = Medium | "boxes";

/** What an example is called. */
const EXAMPLE: Record<Medium, RegExp> = {
  image: /\.(jpe?g|png|webp|bmp|gif|tiff?)$/i,
  text: /\.(txt|md|markdown|text)$/i,
};
/** Collections of texts often give no ending, or a number. */
const UNNAMED_TEXT = /(^|\/)([^./]+|[^/]*\.\d+)$/;
const METADATA = /(^|\/)metadata\.(csv|jsonl)$/i;
const TABLE = /\.(csv|tsv|jsonl|parquet)$/i;
const DOCUMENT = /\.json$/i;
/** What may say something of an image that it is called like. */
const BESIDE = /\.(txt|cls|json)$/i;
/** Boxes of YOLO, Pascal VOC and CVAT, and what their numbers stand for. */
const OF_BOXES = /\.(txt|xml|ya?ml)$|(^|\/)obj\.names$/i;
/** More than so many describe an image each, which is nobody's format. */
const MOST_DOCUMENTS = 100;
/** Hidden files and what operating systems leave lying about are no part of a pool. */
const LITTER = /(^|\/)(\.|__MACOSX\/)/;

export const isExample = (name: string, medium: Medium): boolean => EXAMPLE[medium].test(name);

/** Whether a file may be part of a pool, as far as its path tells. */
export function mayBeWanted(path: string, holds: Holds): boolean {
  if (LITTER.test(path)) return false;
  if (METADATA.test(path) || DOCUMENT.test(path)) return true;
  if (holds === "text")
    return isExample(path, "text") || UNNAMED_TEXT.test(path) || TABLE.test(path);
  return isExample(path, "image") || (holds === "boxes" ? OF_BOXES : BESIDE).test(path);
}

/** Of the files of a folder those that are sent: what the server reads, and would miss. */
export function wantedOf<File extends { path: string }>(files: File[], holds: Holds): File[] {
  const possible = files.filter(({ path }) => mayBeWanted(path, holds));
  if (holds === "text") return possible;
  const images = possible.filter(({ path }) => isExample(path, "image"));
  const stems = new Set(images.map(({ path }) => stemOf(path)));
  const isBeside = (path: string) => BESIDE.test(path) && stems.has(stemOf(path));
  if (holds === "boxes") return withoutTooMany(possible, isBeside);
  const said = possible.filter(
    ({ path }) => !BESIDE.test(path) || DOCUMENT.test(path) || isBeside(path),
  );
  return withoutTooMany(said, isBeside);
}

const stemOf = (path: string): string => path.slice(0, path.lastIndexOf("."));

function withoutTooMany<File extends { path: string }>(
  files: File[],
  isBeside: (path: string) => boolean,
): File[] {
  const isLone = ({ path }: File) => DOCUMENT.test(path) && !isBeside(path);
  return files.filter(isLone).length > MOST_DOCUMENTS ? files.filter((one) => !isLone(one)) : files;
}
