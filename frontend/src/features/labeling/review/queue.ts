import type { ReviewApi } from "../../../api/reviews";
import type { Decision, Review, ReviewedJob, Suggestion } from "../../../api/types";
import type { RichLabel } from "../../../tasks/choice";
import { draftName } from "../../../tasks/drafts";
import type { Clock, Leased } from "../queue/pace";
import type { AnswerSender } from "../queue/sender";
import type { Sent } from "../queue/sending";
import { uuid } from "../queue/uuid";
import { WorkQueue } from "../queue/workQueue";
import { decidedBefore } from "./order";

const AHEAD = 24;
const PACE = { refillAt: 7, reachable: 10, waitMs: 15_000, catchUpMs: 2_500 };

type Extra = {
  review: Review | null;
  /** How many decisions of this visit came after a colleague's, and so do not hold. */
  late: number;
  /** The version of the classes as the server has named it last. */
  classesVersion: number | undefined;
};

type Dependencies = Clock & {
  projectId: number;
  jobId: ReviewedJob;
  userId: number;
  api: ReviewApi;
  sender: AnswerSender;
};

/** The suggestions of one review, one after the other; the sender takes the decisions from here. */
export class ReviewQueue extends WorkQueue<Suggestion, Extra> {
  readonly #deps: Dependencies;
  /** The suggestions of my decisions, by key, until the server has said what became of each. */
  readonly #sent = new Map<string, number>();
  #unlisten: (() => void)[] = [];

  constructor(dependencies: Dependencies) {
    super(PACE, dependencies, { review: null, late: 0, classesVersion: undefined });
    this.#deps = dependencies;
  }

  override start(): void {
    const { sender } = this.#deps;
    this.#unlisten = [
      sender.onResponse((sent) => this.#hear(sent)),
      sender.subscribe(() => this.#withdraw(sender.getView().rejected.map(({ key }) => key))),
    ];
    super.start();
  }

  override stop(): void {
    for (const unlisten of this.#unlisten) unlisten();
    super.stop();
  }

  /** Decide on the current suggestion, `other` with the class that it is; see `give`. */
  decide(
    decision: Decision,
    classId: number | null = null,
    classesVersion?: number,
    label?: RichLabel | null,
  ): Promise<boolean> {
    const { sender, stopwatch, projectId, jobId, userId } = this.#deps;
    return this.give(async (subject) => {
      const key = uuid();
      const seconds = Math.round(stopwatch.seconds() * 1000) / 1000;
      const shown = classesVersion === undefined ? {} : { classesVersion };
      const place = { projectId, jobId, userId, ...shown };
      this.#sent.set(key, subject.id);
      const rich = label ? { label } : {};
      const note = this.noteOn(subject, subject.note);
      const stored = { key, ...place, subject, decision, classId, ...rich, note, seconds };
      await sender.add({ kind: "decision", ...stored });
      const decided = { decided_class_id: classId, decided_label: label ?? null, note };
      return { ...subject, decision, ...decided };
    });
  }

  protected idOf(suggestion: Suggestion): number {
    return suggestion.id;
  }

  protected draftOf(suggestion: Suggestion): string {
    return draftName(this.#deps.userId, suggestion.id, "review");
  }

  protected isGiven(suggestion: Suggestion): boolean {
    return suggestion.decision !== null;
  }

  protected async unsent(): Promise<number[]> {
    const { sender, projectId, jobId } = this.#deps;
    const decisions = await sender.decisionsOf(projectId, jobId);
    return decisions.map(({ subject }) => subject.id);
  }

  protected async lease(): Promise<Leased<Suggestion, Extra>> {
    const { items, expires_at, review, classes_version } = await this.#deps.api.lease(AHEAD);
    const said = { review, classesVersion: classes_version };
    return { items, expiresAt: Date.parse(expires_at), said };
  }

  protected async earlier(): Promise<Suggestion[]> {
    const { api, sender, projectId, jobId } = this.#deps;
    const recent = await api.recent(PACE.reachable).catch(() => []);
    const unsent = await sender.decisionsOf(projectId, jobId);
    for (const { key, subject } of unsent) this.#sent.set(key, subject.id);
    return decidedBefore(recent, unsent);
  }

  /** Leases of suggestions are the user's, not the tab's: they run out by themselves. */
  protected giveBack(): void {}

  protected end(): void {}

  /** The server has taken some decisions; it says when somebody else had decided before. */
  #hear(sent: Sent): void {
    const { projectId, jobId } = this.#deps;
    if (sent.kind !== "decision" || sent.projectId !== projectId || sent.jobId !== jobId) return;
    const { results, review, classes_version: classesVersion } = sent.response;
    const late = results.filter(({ status }) => status === "late").map(({ key }) => key);
    this.hear({ review, classesVersion, late: this.getView().late + late.length });
    this.#withdraw(late);
    for (const { key } of results) this.#sent.delete(key);
    if (!this.getView().current) this.wake();
  }

  #withdraw(keys: string[]): void {
    const gone = new Set(keys.flatMap((key) => this.#sent.get(key) ?? []));
    for (const key of keys) this.#sent.delete(key);
    if (gone.size === 0) return;
    this.forget(gone);
    this.wake();
  }
}
