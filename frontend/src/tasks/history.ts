/** What was, is, and would be again: every step can be taken back and forth. */
export type History<T> = {
  readonly past: readonly T[];
  readonly present: T;
  readonly future: readonly T[];
  /** What the last step was part of; one of the same name goes on with it. */
  readonly run: string | null;
};

/** Who takes back more than this starts anew sooner. */
const KEPT = 500;

export const startOf = <T>(present: T): History<T> => ({
  past: [],
  present,
  future: [],
  run: null,
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
  return { past, present, future: [], run };
}

export function undone<T>({ past, present, future }: History<T>): History<T> | null {
  const before = past.at(-1);
  if (before === undefined) return null;
  return { past: past.slice(0, -1), present: before, future: [present, ...future], run: null };
}

export function redone<T>({ past, present, future }: History<T>): History<T> | null {
  const [next, ...rest] = future;
  if (next === undefined) return null;
  return { past: [...past, present], present: next, future: rest, run: null };
}

/**
 * Where a page begins.
 *
 * @param made What was made on it before, and is not sent.
 * @param isLeft Whether something else was said since: it can be done again, and is not there.
 */
export function resumed<T>(initial: T, made: T | null | undefined, isLeft = false): History<T> {
  const first = startOf(initial);
  if (made == null) return first;
  return isLeft ? { ...first, future: [made] } : took(first, made);
}
