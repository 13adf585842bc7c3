import { plainName } from "../../api/imports";
import { columnsIn, isOfLabels } from "./tables";

/** How sure it is that rows are of instructions: they have no such columns, have labels beside these, or have these. */
export type Holding = "no" | "maybe" | "surely";

type Row = Record<string, unknown>;

/** Columns of all turns of a chat, and of what is asked and answered, as the server looks for them. */
const CHATS = ["messages", "conversations", "conversation"];
const ANSWERS = ["output", "outputs", "response", "responses", "completion", "answer"];
const PAIRS: Record<string, string[]> = {
  instruction: [...ANSWERS, "completions"],
  prompt: [...ANSWERS, "completions"],
  question: [...ANSWERS, "answers"],
  query: ANSWERS,
};
/** Answers that are compared, in columns of their own. */
const BESIDE = /^(responses?|answers?|outputs?|completions?)[_ ]?(\d|[ab])$/;

/** What a table or document that is called and begins so holds, by its first row. */
export function rowsIn(name: string, text: string): Holding {
  const row = firstRow(plainName(name), text);
  if (!row || "image" in row || "images" in row || !isOfRows(row)) return "no";
  return Object.keys(row).some(isOfLabels) ? "maybe" : "surely";
}

function isOfRows(row: Row): boolean {
  if (CHATS.some((name) => isChat(row[name]))) return true;
  const names = Object.keys(row);
  if (names.includes("chosen") && names.includes("rejected")) return true;
  return Object.entries(PAIRS).some(
    ([asked, answers]) =>
      names.includes(asked) &&
      (answers.some((one) => isSaid(row[one])) ||
        names.filter((one) => BESIDE.test(one)).length > 1),
  );
}

const isSaid = (value: unknown): boolean =>
  typeof value === "string" || (Array.isArray(value) && value.length > 0);

/** Whether it is a list of turns, each with who says it. */
const isChat = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.every((one) => isObject(one) && ("role" in one || "from" in one));

const isObject = (value: unknown): value is Row =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function firstRow(name: string, text: string): Row | null {
  if (/\.(csv|tsv)$/i.test(name))
    return Object.fromEntries(columnsIn(name, text).map((one) => [one.toLowerCase(), ""]));
  const isListed = /\.json$/i.test(name) && /^\s*\[/.test(text);
  const first = isListed || /\.jsonl$/i.test(name) ? firstObject(text) : null;
  return (
    first && Object.fromEntries(Object.entries(first).map(([key, one]) => [key.toLowerCase(), one]))
  );
}

/** The first object in JSON that may be cut off behind it. */
function firstObject(text: string): Row | null {
  const start = text.indexOf("{");
  let depth = 0;
  // Strings are passed over whole: they may hold braces.
  for (const { 0: token, index } of text.slice(start).matchAll(/"(?:[^"\\]|\\.)*"|[{}]/gs)) {
    if (token === "{") depth += 1;
    if (token !== "}") continue;
    depth -= 1;
    if (depth > 0) continue;
    try {
      const found: unknown = JSON.parse(text.slice(start, start + index + 1));
      return isObject(found) ? found : null;
    } catch {
      return null;
    }
  }
  return null;
}
