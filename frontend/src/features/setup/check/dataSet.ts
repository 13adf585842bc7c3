import { plainName } from "../../../api/imports";
import type { Medium } from "../../../strings/medium";
import { divided, isExample, isLitter } from "../folderContents";
import { type Folder, isArchive, type Lying, nameOfLoose, together } from "../folders";
import { rowsIn } from "../instructionRows";
import type { Kind } from "../kinds";
import { type Recognized, recognize } from "../recognize";
import { beginningIn, isDocument, isTable, type Table, TEXTS, tableIn, textsIn } from "../tables";
import { zipFiles } from "../zipFiles";

const PEEKED_BYTES = 256 << 10;
/** Documents of texts that say nothing of an image. */
const HAS_TEXT = new RegExp(`"(${TEXTS.join("|")})"\\s*:`, "i");
const OF_IMAGES = /"(image|images|file_name|bbox|shapes)"\s*:/;

/** What was dropped on the first page: one data set, as far as it can be told from here. */
export type DataSet = {
  content: File | Folder;
  /** Its columns, if it is a table that may be one of texts. */
  table: Table | null;
  /** What it holds; null where that has to be asked. */
  found: Recognized | null;
  /** Names of what was dropped with it and is no part of it. */
  left: string[];
};

/** All that was dropped at once; null if there is nothing that could become a project. */
export async function dataSetOf(files: File[], folders: Folder[]): Promise<DataSet | null> {
  const whole = folders.filter((folder) => folder.files.length > 0);
  const has = (medium: Medium) => files.some(({ name }) => isExample(name, medium));
  const lone = whole.length > 0 || has("image") ? null : await firstOf(files);
  if (lone) return lone;
  const isOne = whole.length > 0 || has("image") || has("text");
  const content = together(files, whole);
  const found = isOne ? await recognize(content.files.map(looked)) : null;
  if (found) return { content: called(content, found.holds), table: null, found, left: [] };
  const other = await firstOf(files);
  return other && { ...other, left: [...other.left, ...whole.map(({ name }) => `${name}/`)] };
}

/** Loose files are called by how many of them are taken. */
function called(content: Folder, holds: Kind): Folder {
  if (content.kind === "folder") return content;
  const { wanted } = divided(content.files, holds);
  return { ...content, name: nameOfLoose(wanted.map(({ path }) => path)) };
}

/** The first file that is a data set by itself: an archive, or a table or document of texts or instructions. */
async function firstOf(files: File[]): Promise<DataSet | null> {
  for (const file of files) {
    const found = await alone(file);
    const left = files.filter((one) => one !== file).map(({ name }) => name);
    if (found) return { content: file, left, ...found };
  }
  return null;
}

async function alone(file: File): Promise<Pick<DataSet, "table" | "found"> | null> {
  const { name } = file;
  if (isArchive(name)) return { table: null, found: await inArchive(file) };
  if (!isTable(name) && !isDocument(name)) return null;
  const start = await beginningIn(file);
  const rows = rowsIn(name, start);
  const others: Kind[] = rows === "maybe" ? ["instructions"] : [];
  if (isTable(name)) {
    const table = tableIn(file, start);
    const columns = textsIn(table);
    if (rows === "surely") return ofRows(columns && table);
    return columns && { table, found: { holds: "text", isLabeled: columns.label !== "", others } };
  }
  if (rows === "surely") return ofRows(null);
  const text = await peek(file);
  const isOfTexts = text !== null && HAS_TEXT.test(text) && !OF_IMAGES.test(text);
  return isOfTexts ? { table: null, found: { holds: "text", isLabeled: true, others } } : null;
}

/** Instructions; with the columns of their table, one of which may be wanted as texts. */
const ofRows = (table: Table | null): Pick<DataSet, "table" | "found"> => ({
  table,
  found: { holds: "instructions", isLabeled: false, others: table ? ["text"] : [] },
});

/** What a zip holds; other archives do not say it at one place. */
async function inArchive(file: File): Promise<Recognized | null> {
  if (!/\.zip$/i.test(file.name)) return null;
  const inside = (await zipFiles(file)) ?? [];
  return recognize(inside.filter(({ path }) => !isLitter(path)));
}

const looked = ({ path, open }: Lying) => ({ path, peek: async () => peek(await open()) });

/** How a file begins and ends; null of what is packed. */
async function peek(file: File): Promise<string | null> {
  if (plainName(file.name) !== file.name) return null;
  const { size } = file;
  const parts =
    size <= 2 * PEEKED_BYTES
      ? [file]
      : [file.slice(0, PEEKED_BYTES), file.slice(size - PEEKED_BYTES)];
  return (await Promise.all(parts.map((one) => one.text()))).join("\n");
}
