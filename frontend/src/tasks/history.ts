/** What was, is, and would be again: every step can be taken back and forth. */
export type History<T> = {
  readonly past: readonly T[];
  readonly present: T;
  readonly future: readonly T[];
  /** What the last step was part of; one of the same name goes on with it. */
  readonly run: string | null;
  /** What was made, and was there no more once something else was said. */
  readonly left: T | null;
};

/** Who takes back more than this starts anew sooner. */
const KEPT = 500;

export const startOf = <T>(present: T): History<T> => ({
  past: [],
  present,
  future: [],
  run: null,
  left: null,
});

/**
 * One step further.
 *
 * @param run What the step is part of: a key that is held down makes many steps, and one to take back.
 */
export function took<T>(history: History<T>, present: T, run: string | null = null): History<T> {
  if (present === history.present) return history;
  if (run !== null && run === history.run) return { ...history, present, future: [] };
  const past = [...history.past, history.present].slice(-KEPT);
  return { ...history, past, present, future: [], run };
}

export function undone<T>(history: History<T>): History<T> | null {
  const { past, present, future } = history;
  const before = past.at(-1);
  if (before === undefined) return null;
  const again = [present, ...future];
  return { ...history, past: past.slice(0, -1), present: before, future: again, run: null };
}

/** What was left, unless it has been brought back. */
export const leftOf = <T>({ left, past, present }: History<T>): T | null =>
  left === present || past.some((one) => one === left) ? null : left;

/** What a step forth leads to; after those that were taken back, to what was left. */
export const nextOf = <T>(history: History<T>): T | null => history.future[0] ?? leftOf(history);

/** What is to be left where nothing stands: what was left before, or all that was taken back. */
export const takenBack = <T>(history: History<T>): T | null =>
  leftOf(history) ?? history.future.at(-1) ?? null;

export function redone<T>(history: History<T>): History<T> | null {
  const next = nextOf(history);
  if (next === null) return null;
  const past = [...history.past, history.present];
  return { ...history, past, present: next, future: history.future.slice(1), run: null };
}

/**
 * Where a page begins.
 *
 * @param made What was made on it before, and is not sent.
 * @param left What was, before something else was said: it is not there, and one step forth away.
 */
export function resumed<T>(initial: T, made: T | null, left: T | null): History<T> {
  return took({ ...startOf(initial), left }, made ?? initial);
}
