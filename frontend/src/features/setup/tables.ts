const HEADER_BYTES = 64 << 10;
/** A column of verdicts says by itself what each row is; our own exports have one. */
const VERDICT = "verdict";
/** Columns that say which image a row is about, as the server looks for them. */
const KEYS = new Set(["example_id", "sha256", "file_name", "file", "filename", "path", "name"]);

export const isTable = (name: string): boolean => /\.(csv|jsonl)$/i.test(name);
/** JSON of another tool, which needs no column named. */
export const isDocument = (name: string): boolean => /\.json$/i.test(name);

/** A table, the columns of it that may hold labels, and whether it states verdicts itself. */
export type Table = { file: File; columns: string[]; states: boolean };

export async function readTable(file: File): Promise<Table> {
  const names = await columnNames(file, /\.jsonl$/i.test(file.name));
  const columns = names.filter((name) => name.trim() !== "" && !KEYS.has(name));
  return { file, columns, states: names.includes(VERDICT) };
}

async function columnNames(file: Blob, isJson: boolean): Promise<string[]> {
  const text = await file.slice(0, HEADER_BYTES).text();
  const [header = "", ...rows] = text.replace(/^\uFEFF/, "").split(/\r?\n/);
  return isJson ? [...new Set([header, ...rows].flatMap(keysOf))] : fields(header);
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

/** The fields of one line of CSV; a quoted field may hold commas and doubled quotes. */
export function fields(line: string): string[] {
  const found: string[] = [];
  let field = "";
  let quoted = false;
  for (let at = 0; at < line.length; at += 1) {
    const character = line.charAt(at);
    if (character === '"') {
      // A quote that opens again where one has just closed stands for itself.
      if (!quoted && line[at - 1] === '"') field += character;
      quoted = !quoted;
    } else if (character === "," && !quoted) {
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
