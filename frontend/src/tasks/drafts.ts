import { Listeners } from "../lib/listeners";

/** What was made of an example and is not sent, in this tab: a reload must not lose it. */
export type Draft<Made> = {
  /** What is there, and is not said. */
  made: Made | null;
  /** What was there when something else was said: it can be brought back. */
  left: Made | null;
};

/** Where an example is worked on: each place has numbers of its own. */
export type Desk = "label" | "review" | "pool";

/** Under what name a draft is kept. It is its maker's alone, whoever signs in next. */
export const draftName = (userId: number, queryId: number, desk: Desk = "label"): string =>
  `${userId}:${desk}:${queryId}`;

const keyOf = (name: string): string => `karat:draft:${name}`;

const listeners = new Listeners();
let version = 0;

/** What was kept, sets as lists; of which type, the task knows whose example it is. */
export function readDraft<Made>(name: string): Draft<Made> {
  try {
    const kept = sessionStorage.getItem(keyOf(name));
    return { made: null, left: null, ...(kept && JSON.parse(kept)) };
  } catch {
    return { made: null, left: null };
  }
}

export function keepDraft(name: string, { made, left }: Draft<object>): void {
  const listed = (_: string, value: unknown) => (value instanceof Set ? [...value] : value);
  try {
    if (made ?? left) sessionStorage.setItem(keyOf(name), JSON.stringify({ made, left }, listed));
    else sessionStorage.removeItem(keyOf(name));
  } catch {
    // Storage is full or refused: the page still has it.
  }
  version += 1;
  listeners.tell();
}

/** Notes that are written and not sent: here too, for browsers that keep nothing. */
const notes = new Map<string, string>();

const noteKeyOf = (name: string): string => `karat:note:${name}`;

/** What was written beside an example and is not sent; null where nothing was. */
export function readNote(name: string): string | null {
  try {
    return notes.get(name) ?? sessionStorage.getItem(noteKeyOf(name));
  } catch {
    return null;
  }
}

/** Keep a note until it is sent; null forgets it. */
export function keepNote(name: string, text: string | null): void {
  if (text === readNote(name)) return;
  if (text === null) notes.delete(name);
  else notes.set(name, text);
  try {
    if (text === null) sessionStorage.removeItem(noteKeyOf(name));
    else sessionStorage.setItem(noteKeyOf(name), text);
  } catch {
    // Storage is full or refused: the page still has it.
  }
  version += 1;
  listeners.tell();
}

/** What is left of a character that a field has cut in two; nobody takes it. */
const HALVES = /\p{Surrogate}/gu;

/** The note that goes with the next verdict: what is written now, or else what was `given` before. */
export const noteToSend = (name: string, given: string | null | undefined): string | null =>
  (readNote(name) ?? given ?? "").replace(HALVES, "").trim() || null;

/** Whether something was made, or written, that is not said. */
export const isUnsent = (name: string): boolean =>
  readDraft(name).made !== null || readNote(name) !== null;

export const onDrafts = listeners.subscribe;

export const draftsVersion = (): number => version;
