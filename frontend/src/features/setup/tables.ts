const HEADER_BYTES = 64 << 10;
/** Columns that say which image a row is about, as the server looks for them. */
const KEYS = new Set(["example_id", "sha256", "file_name", "file", "filename", "path", "name"]);

export const isTable = (name: string): boolean => /\.csv$/i.test(name);

/** Columns of a CSV that may hold labels: all that have a name, but those that name the image. */
export async function labelColumns(file: Blob): Promise<string[]> {
  const text = await file.slice(0, HEADER_BYTES).text();
  const [header = ""] = text.replace(/^\uFEFF/, "").split(/\r?\n/, 1);
  return fields(header).filter((name) => name.trim() !== "" && !KEYS.has(name));
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
