import { draftsChanged } from "../unsent";
import { NOTHING, type Ranking } from "./ranking";

const keyOf = (draft: string): string => `karat:ranking:${draft}`;

/** What was ranked and not sent: a reload must not lose it. */
export function draftOf(draft: string, ids: readonly number[]): Ranking | null {
  try {
    const kept = sessionStorage.getItem(keyOf(draft));
    if (!kept) return null;
    const { order, wrong } = { ...NOTHING, ...(JSON.parse(kept) as Ranking) };
    // Of the same examples: queries do not change, but what is kept may be anything.
    return [...order.flat(), ...wrong].every((id) => ids.includes(id)) ? { order, wrong } : null;
  } catch {
    return null;
  }
}

/** Null: it has been sent. */
export function keepDraft(draft: string, ranking: Ranking | null): void {
  try {
    if (ranking === null) sessionStorage.removeItem(keyOf(draft));
    else sessionStorage.setItem(keyOf(draft), JSON.stringify(ranking));
  } catch {
    // Storage is full or refused: the page still has it.
  }
  draftsChanged();
}

/** Whether something was ranked and is not sent. */
export const isUnsent = (draft: string, ids: readonly number[]): boolean =>
  draftOf(draft, ids) !== null;
