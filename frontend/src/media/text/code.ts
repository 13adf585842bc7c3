const CODE =
  /[;{}]\s*$|^\s*(?:def|class|import|from|return|for|if|elif|else|while|function|const|let|var|public|private|static|package|using|fn|impl|use|pub)\b.*[:;({=]\s*$|^\s*#include\b|^\s*<[/!?]?[a-zA-Z][^>]*>|^\s*(?:\/\/|#!|\/\*)|[=!]==?\s|=>|::|^\s*[)\]]+[,;]?\s*$|^\s*\w+(?:\.\w+)*\(.*\)\s*$|^\s*\w+ = \S/;
/** From so many spaces on within a line, words stand below each other. */
const COLUMN = /\S(?: {3,}|\t)\S/;
const MOST_LINES = 200;

/** Whether a text is one whose letters have to stand below each other: code, JSON, tables, logs. */
export function isCode(text: string): boolean {
  const lines = text.split("\n", MOST_LINES).filter((line) => line.trim() !== "");
  if (lines.length < 2) return isJson(text);
  const share = (kind: RegExp) => lines.filter((line) => kind.test(line)).length / lines.length;
  const isTable = lines.length > 2 && share(COLUMN) >= 0.5;
  return share(CODE) >= 0.5 || isTable || isJson(text);
}

function isJson(text: string): boolean {
  if (!/^\s*[{[]/.test(text)) return false;
  try {
    return typeof JSON.parse(text) === "object";
  } catch {
    return false;
  }
}
