import type { Suggestion } from "../../../api/types";
import { labelFrom } from "../../../tasks/choice";
import { draftName } from "../../../tasks/drafts";
import { type NoteDraft, useNote } from "../../../tasks/useNote";
import { type Choice, chosen } from "./choices";
import type { ReviewQueue } from "./queue";

type Place = {
  queue: ReviewQueue;
  userId: number;
  current: Suggestion | null;
  decide: (choice: Choice) => void;
};

/** The note beside a decision; `stay` leaves what one came back to as it was decided. */
export function useReviewNote({ queue, userId, current, decide }: Place): {
  note: NoteDraft;
  stay: () => void;
} {
  const name = current && draftName(userId, current.id, "review");
  const note = useNote(name, current?.note ?? null);
  const stay = () => {
    const decided = current && chosen(current);
    // A note that was changed is sent with the decision that stands.
    if (!note.isChanged || !decided) queue.keep();
    else if (decided.decision !== "other") decide(decided);
    else decide({ ...decided, ...labelFrom(current.decided_label) });
  };
  return { note, stay };
}
