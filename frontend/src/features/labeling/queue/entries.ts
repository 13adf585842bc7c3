import type { Lease, LeaseItem, RecentAnswer } from "../../../api/types";
import type { Entry, Given, StoredAnswer } from "./model";

const idOf = (entry: Entry): number => entry.subject.query_id;

function fromLease(item: LeaseItem, leaseToken: string | null): Entry {
  return { subject: item, leaseToken, given: null };
}

function fromRecent(answer: RecentAnswer): Entry {
  const { key, verdict, class_id: classId, query_id, example_id, image_url } = answer;
  return {
    subject: { query_id, example_id, image_url, width: 0, height: 0, name: "" },
    leaseToken: null,
    given: { key, verdict, classId },
  };
}

function fromStored(answer: StoredAnswer): Entry {
  const { key, verdict, classId, subject, leaseToken } = answer;
  return { subject, leaseToken, given: { key, verdict, classId } };
}

/** The answer to an image, as it is kept until the server has it. */
export function toStored(
  entry: Entry,
  given: Given,
  place: Pick<StoredAnswer, "projectId" | "userId">,
  seconds: number,
): StoredAnswer {
  return {
    ...place,
    ...given,
    kind: "answer",
    subject: entry.subject,
    seconds: Math.round(seconds * 1000) / 1000,
    supersedes: entry.given?.key ?? null,
    leaseToken: entry.leaseToken,
  };
}

/**
 * The queue after a lease: new images go to the end, images lost in the meantime go away.
 *
 * Revisited images stay; images in `answered` are left out, since their answers may still be on the way.
 */
export function mergeLease(
  current: Entry | null,
  upcoming: Entry[],
  lease: Lease,
  answered: ReadonlySet<number>,
): Entry[] {
  const leased = new Set(lease.items.map((item) => item.query_id));
  const kept = upcoming.filter(
    (entry) => entry.given || (leased.has(idOf(entry)) && !answered.has(idOf(entry))),
  );
  const known = new Set(kept.map(idOf));
  if (current) known.add(idOf(current));
  const added = lease.items
    .filter((item) => !known.has(item.query_id) && !answered.has(item.query_id))
    .map((item) => fromLease(item, lease.lease_token));
  return [...kept, ...added];
}

/** What undo can reach after a reload, the latest last: answers the server has, then unsent ones. */
export function restoreHistory(
  recent: RecentAnswer[],
  unsent: StoredAnswer[],
  present: Entry[],
): Entry[] {
  const entries = new Map<number, Entry>();
  for (const answer of [...recent].reverse()) entries.set(answer.query_id, fromRecent(answer));
  for (const answer of unsent) {
    entries.delete(answer.subject.query_id);
    entries.set(answer.subject.query_id, fromStored(answer));
  }
  for (const entry of present) entries.delete(idOf(entry));
  return [...entries.values()];
}
