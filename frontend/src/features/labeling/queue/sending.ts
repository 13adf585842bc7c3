import type { LabelingApi } from "../../../api/labeling";
import type { DecideApi } from "../../../api/reviews";
import type {
  Answer,
  AnswerResult,
  DecisionInput,
  DecisionResult,
  DecisionsResponse,
  ReviewedJob,
  SubmitResponse,
} from "../../../api/types";
import { draftName, keepDraft, keepNote, readDraft, readNote } from "../../../tasks/drafts";
import type { Pending, Stored, StoredAnswer, StoredDecision } from "./model";

export type SendingApi = Pick<LabelingApi, "submit"> & DecideApi;

/** What the server said to a batch. */
export type Sent =
  | { kind: "answer"; projectId: number; response: SubmitResponse }
  | { kind: "decision"; projectId: number; jobId: ReviewedJob; response: DecisionsResponse };

/** Where an entry is sent to. One request holds entries of one place, and a place may be held up alone. */
export const placeOf = ({ projectId, ...entry }: Stored): string =>
  entry.kind === "decision" ? `reviews/${projectId}/${entry.jobId}` : `labeling/${projectId}`;

export const isAnswer = <Entry extends Stored>(entry: Entry): entry is Entry & { kind: "answer" } =>
  entry.kind === "answer";

export const isDecision = <Entry extends Stored>(
  entry: Entry,
): entry is Entry & { kind: "decision" } => entry.kind === "decision";

/** Send entries of one place. */
export async function send(api: SendingApi, first: Pending, batch: Pending[]): Promise<Sent> {
  const { projectId } = first;
  if (first.kind === "answer") {
    const response = await api.submit(projectId, batch.filter(isAnswer).map(toAnswer));
    return { kind: "answer", projectId, response };
  }
  const { jobId } = first;
  const decisions = batch.filter(isDecision).map(toDecision);
  return {
    kind: "decision",
    projectId,
    jobId,
    response: await api.decide(projectId, jobId, decisions),
  };
}

/** A retry of a refused answer comes back as a duplicate that carries the refusal's code. */
export const isRefused = (result: AnswerResult | DecisionResult): boolean =>
  result.status === "rejected" || (result.status === "duplicate" && result.annotation_id === null);

const seen = ({ classesVersion }: Stored) =>
  classesVersion === undefined ? {} : { classes_version: classesVersion };

const toAnswer = (stored: StoredAnswer): Answer => ({
  key: stored.key,
  query_id: stored.subject.query_id,
  verdict: stored.verdict,
  seconds: stored.seconds,
  ...(stored.classId === null ? {} : { class_id: stored.classId }),
  ...(stored.label ? { label: stored.label } : {}),
  ...(stored.note ? { note: stored.note } : {}),
  ...seen(stored),
  ...(stored.supersedes === null ? {} : { supersedes: stored.supersedes }),
  ...(stored.leaseToken === null ? {} : { lease_token: stored.leaseToken }),
});

const toDecision = ({ classId, label, ...stored }: StoredDecision): DecisionInput => ({
  key: stored.key,
  suggestion_id: stored.subject.id,
  decision: stored.decision,
  seconds: stored.seconds,
  ...seen(stored),
  ...(classId == null ? {} : { class_id: classId }),
  ...(label ? { label } : {}),
  ...(stored.note ? { note: stored.note } : {}),
});

const draftOf = (entry: Stored): string =>
  entry.kind === "decision"
    ? draftName(entry.userId, entry.subject.id, "review")
    : draftName(entry.userId, entry.subject.query_id);

/** What was made or written and is refused is there again where its example comes up, unless more is made or said of that meanwhile. */
export function handBack(entry: Stored, pending: readonly Stored[]): void {
  const name = draftOf(entry);
  const isSaidAnew = pending.some((one) => one.key !== entry.key && draftOf(one) === name);
  if (isSaidAnew) return;
  if (entry.note && readNote(name) === null) keepNote(name, entry.note);
  const { made, left } = readDraft<object>(name);
  if (entry.label && !made) keepDraft(name, { made: entry.label, left });
}
