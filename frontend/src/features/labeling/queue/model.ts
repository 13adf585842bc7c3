import type { Decision, LeaseItem, ReviewedJob, Suggestion, Verdict } from "../../../api/types";
import type { RichLabel } from "../../../tasks/choice";

/** One example to judge, as far as the label page knows it. */
export type Subject = Pick<
  LeaseItem,
  "query_id" | "example_id" | "image_url" | "width" | "height" | "name"
> &
  // Entries of earlier versions know of images only.
  Partial<
    Pick<
      LeaseItem,
      "excerpt" | "text" | "fields" | "proposals" | "suggested" | "proposed_by" | "members"
    >
  >;

/** A verdict that was given, by the key under which it was stored. */
export type Given = {
  key: string;
  verdict: Verdict;
  classId: number | null;
  /** All of what was said, where that is more than one class; missing in entries of earlier versions. */
  label?: RichLabel | null;
  classesVersion?: number;
};

/** A place in the queue. `given` is set when the annotator came back to it with undo. */
export type Entry = { subject: Subject; leaseToken: string | null; given: Given | null };

/** What every entry of the outbox has, until the server has acknowledged it. */
type Kept = {
  key: string;
  userId: number;
  projectId: number;
  seconds: number;
  /** That of the classes which were shown; missing in entries of earlier versions. */
  classesVersion?: number;
};

/** An answer to a query as it is kept on this device. */
export type StoredAnswer = Kept & {
  kind: "answer";
  subject: Subject;
  verdict: Verdict;
  classId: number | null;
  /** See `Given`. */
  label?: RichLabel | null;
  supersedes: string | null;
  leaseToken: string | null;
};

type SinceOthers =
  | "votes"
  | "alike"
  | "excerpt"
  | "members"
  | "decided_class_id"
  | "decided_label"
  | "given_label"
  | "suggested_label";

/** A decision on a suggestion as it is kept on this device. */
export type StoredDecision = Kept & {
  kind: "decision";
  jobId: ReviewedJob;
  /** Entries of earlier versions know nothing of votes, groups and texts, nor of other classes than the two. */
  subject: Omit<Suggestion, SinceOthers> & Partial<Pick<Suggestion, SinceOthers>>;
  /** Null takes back what was decided before. */
  decision: Decision | null;
  /** The class that is neither of the two; missing in entries of earlier versions. */
  classId?: number | null;
  /** All of it, where it is more than one class. */
  label?: RichLabel | null;
};

export type Stored = StoredAnswer | StoredDecision;

export type Pending<Kind extends Stored = Stored> = Kind & { seq: number };

/** What the server refused for good, kept for the annotator to see. */
export type Rejected = Stored & { code: string; detail: string };

/** Answers and decisions on their way to the server, in the order in which they were given. */
export interface Outbox {
  /** Whether what is added survives a reload. */
  readonly durable: boolean;
  /** Resolves once the entries are stored, all or none of them. */
  add(...entries: Stored[]): Promise<Pending[]>;
  /** Rejects where nobody can say what waits, for now. */
  pending(userId: number): Promise<Pending[]>;
  /** Drop entries the server has acknowledged. */
  settle(entries: Pending[]): Promise<void>;
  /** Set an entry aside that the server will never take. */
  reject(entry: Pending, code: string, detail: string): Promise<void>;
  rejected(userId: number): Promise<Rejected[]>;
  dismiss(userId: number): Promise<void>;
}
