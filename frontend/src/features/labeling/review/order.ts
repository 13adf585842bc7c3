import type { Suggestion } from "../../../api/types";
import type { StoredDecision } from "../queue/model";

/**
 * The queue after a lease: new suggestions go to the end, those lost in the meantime go away.
 *
 * What was gone back to stays; what is in `decided` is left out, since the server may not know yet.
 */
export function mergeLease(
  current: Suggestion | null,
  upcoming: Suggestion[],
  leased: Suggestion[],
  decided: ReadonlySet<number>,
): Suggestion[] {
  const open = leased.filter(({ id }) => !decided.has(id));
  const mine = new Set(open.map(({ id }) => id));
  const kept = upcoming.filter(({ id, decision }) => decision || mine.has(id));
  const known = new Set([current, ...kept].map((one) => one?.id));
  return [...kept, ...open.filter(({ id }) => !known.has(id))];
}

/** What undo can reach after a reload, the latest last: decisions the server has, then unsent ones. */
export function restoreHistory(
  recent: Suggestion[],
  unsent: StoredDecision[],
  present: Suggestion[],
): Suggestion[] {
  const decided = new Map<number, Suggestion>();
  for (const one of [...recent].reverse()) decided.set(one.id, one);
  for (const { subject, decision } of unsent) {
    decided.delete(subject.id);
    decided.set(subject.id, { ...subject, decision });
  }
  for (const { id } of present) decided.delete(id);
  return [...decided.values()];
}
