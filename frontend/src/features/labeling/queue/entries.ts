import type { LeaseItem, RecentAnswer } from "../../../api/types";
import { labelFrom } from "../../../tasks/choice";
import type { Entry, Given, StoredAnswer } from "./model";

export const idOf = (entry: Entry): number => entry.subject.query_id;

export function fromLease(item: LeaseItem, leaseToken: string | null): Entry {
  return { subject: item, leaseToken, given: null };
}

function fromRecent(answer: RecentAnswer): Entry {
  const { key, verdict, class_id: classId } = answer;
  const { query_id, example_id, image_url, width, height, name, excerpt } = answer;
  const { fields, proposals, members, note, reviewer_note: reviewerNote } = answer;
  return {
    subject: {
      ...{ query_id, example_id, image_url, width, height, name, excerpt },
      ...{ fields, proposals, members },
    },
    leaseToken: null,
    given: { key, verdict, classId, ...labelFrom(answer.label), note },
    reviewerNote,
  };
}

function fromStored(answer: StoredAnswer): Entry {
  const { key, verdict, classId, label, note = null, subject, leaseToken } = answer;
  return { subject, leaseToken, given: { key, verdict, classId, ...(label && { label }), note } };
}

/** The answer to an image, as it is kept until the server has it. */
export function toStored(
  entry: Entry,
  given: Given,
  { projectId, userId }: Pick<StoredAnswer, "projectId" | "userId">,
  seconds: number,
): StoredAnswer {
  // A text can be got again, and would weigh more than all the rest; those it is ranked with cannot.
  const { text: _, ...subject } = entry.subject;
  return {
    ...given,
    note: given.note === undefined ? (entry.given?.note ?? null) : given.note,
    kind: "answer",
    projectId,
    userId,
    subject,
    seconds: Math.round(seconds * 1000) / 1000,
    supersedes: entry.given?.key ?? null,
    leaseToken: entry.leaseToken,
  };
}

/** Answers of earlier visits, each image once, the latest last: those the server has, then unsent ones. */
export function givenBefore(recent: RecentAnswer[], unsent: StoredAnswer[]): Entry[] {
  const entries = new Map<number, Entry>();
  for (const answer of [...recent].reverse()) entries.set(answer.query_id, fromRecent(answer));
  for (const answer of unsent) {
    entries.delete(answer.subject.query_id);
    entries.set(answer.subject.query_id, fromStored(answer));
  }
  return [...entries.values()];
}
