import { labelOf } from "../../../api/labels";
import type { Suggestion } from "../../../api/types";
import type { StoredDecision } from "../queue/model";

/** Earlier decisions, each suggestion once, the latest last: those the server has, then unsent ones. */
export function decidedBefore(recent: Suggestion[], unsent: StoredDecision[]): Suggestion[] {
  const decided = new Map<number, Suggestion>();
  for (const one of [...recent].reverse()) decided.set(one.id, one);
  for (const { subject, decision, classId = null, label = null, note = null } of unsent) {
    decided.delete(subject.id);
    // Taken back: there is nothing to go back to.
    if (decision === null) continue;
    decided.set(subject.id, {
      votes: [],
      notes: [],
      alike: null,
      excerpt: null,
      members: null,
      given_label: labelOf(subject.given_class_id),
      suggested_label: labelOf(subject.suggested_class_id),
      ...subject,
      decision,
      decided_class_id: classId,
      decided_label: label ?? labelOf(classId),
      note,
    });
  }
  return [...decided.values()];
}
