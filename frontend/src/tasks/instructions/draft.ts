import { draftsChanged } from "../unsent";
import { NOTHING, type Ranking } from "./ranking";

const keyOf = (draft: string): string => `karat:ranking:${draft}`;

/** `isLeft`: something else was said; it is no more there, and can be brought back. */
type Draft = { ranking: Ranking; isLeft: boolean };

/** What was ranked and not sent: a reload must not lose it. */
export function draftOf(draft: string, ids: readonly number[]): Draft | null {
  try {
    const kept = sessionStorage.getItem(keyOf(draft));
    if (!kept) return null;
    const stored = JSON.parse(kept) as Partial<Ranking & Pick<Draft, "isLeft">>;
    const { order, wrong, isLeft = false } = { ...NOTHING, ...stored };
    // Of the same examples: queries do not change, but what is kept may be anything.
    const isKnown = [...order.flat(), ...wrong].every((id) => ids.includes(id));
    return isKnown ? { ranking: { order, wrong }, isLeft } : null;
  } catch {
    return null;
  }
}

/** Null: it has been sent. */
export function keepDraft(draft: string, ranking: Ranking | null, isLeft = false): void {
  try {
    if (ranking === null) sessionStorage.removeItem(keyOf(draft));
    else sessionStorage.setItem(keyOf(draft), JSON.stringify({ ...ranking, isLeft }));
  } catch {
    // Storage is full or refused: the page still has it.
  }
  draftsChanged();
}

/** Whether something was ranked and is not sent. */
export const isUnsent = (draft: string, ids: readonly number[]): boolean =>
  draftOf(draft, ids) !== null;
