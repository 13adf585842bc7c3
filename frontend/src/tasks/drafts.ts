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

/** Whether something was made that is not said. */
export const isUnsent = (name: string): boolean => readDraft(name).made !== null;

export const onDrafts = listeners.subscribe;

export const draftsVersion = (): number => version;
