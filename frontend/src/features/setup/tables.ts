import { plainName } from "../../api/imports";

/** As long as a text may be, so that its row is whole. */
const HEADER_BYTES = 1 << 20;
/** A column of verdicts says by itself what each row is; our own exports have one. */
const VERDICT = "verdict";
/** Columns that say which image a row is about, as the server looks for them. */
const KEYS = new Set(["example_id", "sha256", "file_name", "file", "filename", "path", "name"]);
const DELIMITERS = [",", ";", "\t"];

export const isTable = (name: string): boolean => /\.(csv|tsv|jsonl)(\.gz)?$/i.test(name);
/** JSON of another tool, which needs no column named. */
export const isDocument = (name: string): boolean => /\.json$/i.test(plainName(name));

/** Columns by which only examples that are there are named. */
const OURS = ["example_id", "sha256"];

/** Whether a table in a project of texts says something of those that are there, and brings none. */
export const isAboutKnown = ({ columns, keys }: Table): boolean =>
  keys.some((key) => OURS.includes(key)) && !columns.includes("text");

/** What columns of texts and of labels are called, as the server looks for them. */
export const TEXTS = [
  "text",
  "content",
  "sentence",
  "document",
  "review",
  "body",
  "message",
  "question",
];
const LABELS = ["label", "labels", "class_name", "class"];

/** What only tells rows apart. */
const NUMBERS = /^(_?id|guid|uid|uuid)$/i;

/** What says where a row goes, and not what it is. */
const SPLITS = /^(split|is[ _](train|val|valid|validation|test|eval|evaluation))$/i;

/** Whether a column is called like one of labels, and not only taken for one. */
export const isOfLabels = (column: string): boolean => LABELS.includes(column.toLowerCase());

/** Columns of a table that brings texts; null of one that says something of images. */
export function textsIn({ columns, keys }: Table): { text: string; label: string } | null {
  const called = (names: string[]) => columns.find((one) => names.includes(one.toLowerCase()));
  const first = columns.find((one) => !NUMBERS.test(one));
  const isOfImages = keys.length > 0 || columns.some((one) => /^(image|img|picture)/i.test(one));
  const text = called(TEXTS) ?? (isOfImages ? undefined : first);
  if (text === undefined || keys.some((key) => OURS.includes(key))) return null;
  const others = columns.filter((one) => one !== text && !SPLITS.test(one) && !NUMBERS.test(one));
  return { text, label: called(LABELS) ?? others.at(-1) ?? "" };
}

/** A table: its columns that may hold labels or name images, and whether it states verdicts. */
export type Table = { file: File; columns: string[]; keys: string[]; states: boolean };

export const readTable = async (file: File): Promise<Table> =>
  tableIn(file, await beginningIn(file));

/** A table that begins so. */
export function tableIn(file: File, text: string): Table {
  const names = columnsIn(plainName(file.name), text);
  const columns = names.filter((name) => name.trim() !== "" && !KEYS.has(name));
  const keys = names.filter((name) => KEYS.has(name));
  return { file, columns, keys, states: names.includes(VERDICT) };
}

/** The columns of a table, called so, that begins so. */
export function columnsIn(name: string, text: string): string[] {
  const lines = text.replace(/^\uFEFF/, "").split(/\r?\n/);
  if (/\.jsonl$/i.test(name)) return [...new Set(lines.flatMap(keysOf))];
  // Excel writes the delimiter that it used into a first line of its own.
  const marked = /^sep=(.)$/i.exec(lines[0] ?? "")?.[1];
  const header = (marked ? lines[1] : lines[0]) ?? "";
  const divides = /\.tsv$/i.test(name) && header.includes("\t") ? "\t" : delimiterOf(header);
  return fields(header, marked ?? divides).map((one) => one.trim());
}

/** How a table or document begins, as text. */
export async function beginningIn(file: File): Promise<string> {
  const start = await beginningOf(file);
  return new TextDecoder(encodingOf(start)).decode(start);
}

/** Its first bytes, unpacked; none of what is not what its name says, which the server explains. */
async function beginningOf(file: File): Promise<Uint8Array> {
  const start = await file.slice(0, HEADER_BYTES).arrayBuffer();
  if (!/\.gz$/i.test(file.name)) return new Uint8Array(start);
  const reader = new Response(start).body?.pipeThrough(new DecompressionStream("gzip")).getReader();
  const found = new Uint8Array(HEADER_BYTES);
  let length = 0;
  try {
    while (reader && length < HEADER_BYTES) {
      const { done, value } = await reader.read();
      if (done) break;
      const some = value.subarray(0, HEADER_BYTES - length);
      found.set(some, length);
      length += some.length;
    }
  } catch {
    // Cut off here, or nothing of the kind.
  }
  return found.subarray(0, length);
}

/** By its mark, as the server has it. */
function encodingOf([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return first === 0xfe && second === 0xff ? "utf-16be" : "utf-8";
}

/** The one that stands most often outside of quotes. */
function delimiterOf(header: string): string {
  const bare = header.replace(/"(?:[^"]|"")*"/g, "");
  const counts = DELIMITERS.map((one) => bare.split(one).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ",";
}

/** The keys of a line of JSON; none of one that is cut off or no object. */
function keysOf(line: string): string[] {
  try {
    const row: unknown = JSON.parse(line);
    return row !== null && typeof row === "object" && !Array.isArray(row) ? Object.keys(row) : [];
  } catch {
    return [];
  }
}

/** The fields of one line of CSV; a quoted field may hold delimiters and doubled quotes. */
export function fields(line: string, delimiter = ","): string[] {
  const found: string[] = [];
  let field = "";
  let quoted = false;
  for (let at = 0; at < line.length; at += 1) {
    const character = line.charAt(at);
    if (character === '"') {
      // A quote that opens again where one has just closed stands for itself.
      if (!quoted && line[at - 1] === '"') field += character;
      quoted = !quoted;
    } else if (character === delimiter && !quoted) {
      found.push(field);
      field = "";
    } else {
      field += character;
    }
  }
  return [...found, field];
}

/** What somebody typed as a list of columns. */
export const columnsOf = (text: string): string[] =>
  text
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
