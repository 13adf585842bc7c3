import type { Round } from "../../api/types";

/** What was measured anew makes no other note. */
const gist = (note: string): string => note.replace(/\d+\.\d+/g, "");

/** Notes of a round that are not said of the one after it as well. */
export function notesOf({ notes }: Pick<Round, "notes">, after?: Pick<Round, "notes">): string[] {
  const repeated = new Set(after?.notes.map(gist));
  return notes.filter((note) => !repeated.has(gist(note)));
}
