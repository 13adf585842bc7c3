import { serverNow } from "../../../api/clock";
import { ApiError } from "../../../api/errors";
import type { ReviewApi } from "../../../api/reviews";
import type { Decision, ReviewLease, Suggestion } from "../../../api/types";
import type { AnswerSender } from "../queue/sender";
import type { Sent } from "../queue/sending";
import type { Stopwatch } from "../queue/stopwatch";
import { uuid } from "../queue/uuid";
import { mergeLease, restoreHistory } from "./order";
import type { ReviewView } from "./view";

const AHEAD = 24;
const REFILL_BELOW = 8;
const REACHABLE = 10;
/** Leases are renewed when less than this is left of them and the reviewer is at work. */
const RENEW_MS = 120_000;
const RETRY_MS = 2_500;
/** What colleagues leave is looked for this often. */
const WAIT_MS = 15_000;

type Dependencies = {
  projectId: number;
  jobId: number;
  userId: number;
  api: ReviewApi;
  sender: AnswerSender;
  stopwatch: Stopwatch;
  now?: () => number;
  isHidden?: () => boolean;
};

/** The suggestions of one job, one after the other; the sender takes the decisions from here. */
export class ReviewQueue {
  readonly #deps: Required<Dependencies>;
  readonly #listeners = new Set<() => void>();
  /** The suggestions of my decisions, by key, until the server has said what became of each. */
  readonly #sent = new Map<string, number>();
  #decidedSinceLease = new Set<number>();
  #leasing: Promise<void> | null = null;
  #expiresAt = 0;
  #saving = false;
  #stopped = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #unlisten: (() => void)[] = [];
  #view: ReviewView = {
    phase: "loading",
    current: null,
    upcoming: [],
    history: [],
    review: null,
    late: 0,
    error: null,
  };

  constructor(dependencies: Dependencies) {
    this.#deps = { now: serverNow, isHidden: () => document.hidden, ...dependencies };
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly getView = (): ReviewView => this.#view;

  start(): void {
    const { sender } = this.#deps;
    this.#unlisten = [
      sender.onResponse((sent) => this.#hear(sent)),
      sender.subscribe(() => this.#withdraw(sender.getView().rejected.map(({ key }) => key))),
    ];
    void this.#restore();
    this.wake();
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
    for (const unlisten of this.#unlisten) unlisten();
  }

  /** Look for suggestions now: something has changed, or the page is visible again. */
  readonly wake = (): void => {
    clearTimeout(this.#timer);
    void this.#lease();
  };

  /**
   * Decide on the current suggestion, and move on once the decision is stored on this device.
   *
   * Resolves to false when there was nothing to decide, or the decision before is still being stored.
   */
  async decide(decision: Decision): Promise<boolean> {
    const { current } = this.#view;
    if (!current || this.#saving) return false;
    const { sender, stopwatch, projectId, jobId, userId } = this.#deps;
    const key = uuid();
    const seconds = Math.round(stopwatch.seconds() * 1000) / 1000;
    const place = { projectId, jobId, userId };
    this.#saving = true;
    this.#sent.set(key, current.id);
    this.#decidedSinceLease.add(current.id);
    try {
      await sender.add({ kind: "decision", key, ...place, subject: current, decision, seconds });
      this.#advance({ ...current, decision });
    } finally {
      this.#saving = false;
    }
    return true;
  }

  /** Go back to the suggestion before; the decision holds until another is made. */
  undo(): void {
    const { history, current, upcoming } = this.#view;
    const previous = history.at(-1);
    if (!previous || this.#saving) return;
    this.#set({
      phase: "deciding",
      current: previous,
      history: history.slice(0, -1),
      upcoming: current ? [current, ...upcoming] : upcoming,
    });
  }

  /** Leave a suggestion one came back to as it was decided. */
  keep(): void {
    const { current } = this.#view;
    if (current?.decision && !this.#saving) this.#advance(current);
  }

  #advance(done: Suggestion): void {
    const others = this.#view.history.filter(({ id }) => id !== done.id);
    let { upcoming } = this.#view;
    // Others may hold what was leased too long ago; ask again rather than decide it twice.
    if (this.#deps.now() >= this.#expiresAt) upcoming = upcoming.filter((one) => one.decision);
    const [current = null, ...rest] = upcoming;
    this.#set({
      phase: current ? "deciding" : "loading",
      current,
      upcoming: rest,
      history: [...others, done].slice(-REACHABLE),
    });
    if (rest.length < REFILL_BELOW) this.wake();
  }

  #lease(): Promise<void> {
    this.#leasing ??= this.#leaseOnce().finally(() => {
      this.#leasing = null;
      this.#schedule();
    });
    return this.#leasing;
  }

  async #leaseOnce(): Promise<void> {
    const { api, sender, projectId, jobId } = this.#deps;
    this.#decidedSinceLease = new Set();
    try {
      const unsent = await sender.decisionsOf(projectId, jobId);
      const lease = await api.lease(AHEAD);
      if (this.#stopped) return;
      const decided = new Set(unsent.map(({ subject }) => subject.id));
      for (const id of this.#decidedSinceLease) decided.add(id);
      this.#merge(lease, decided);
    } catch (error) {
      const phase = this.#view.current ? "deciding" : "failed";
      if (!this.#stopped) this.#set({ phase, error: error as Error });
    }
  }

  #merge(lease: ReviewLease, decided: ReadonlySet<number>): void {
    const queue = mergeLease(this.#view.current, this.#view.upcoming, lease.items, decided);
    const current = this.#view.current ?? queue.shift() ?? null;
    this.#expiresAt = Date.parse(lease.expires_at);
    // Suggestions whose decisions are still on the way: nothing to show, but it is not the end.
    const between = lease.items.length > 0 ? "loading" : "done";
    this.#set({
      phase: current ? "deciding" : between,
      current,
      upcoming: queue,
      review: lease.review,
      error: null,
    });
  }

  /** Ask again later: for renewal while there are suggestions, for what others leave when not. */
  #schedule(): void {
    clearTimeout(this.#timer);
    if (this.#stopped) return;
    const { error, current, phase } = this.#view;
    // What is forbidden or gone stays so; a session can be renewed.
    if (error instanceof ApiError && [403, 404].includes(error.status)) return;
    if (current && !error) {
      const left = Math.max(this.#expiresAt - RENEW_MS - this.#deps.now(), WAIT_MS);
      this.#timer = setTimeout(() => {
        if (this.#deps.stopwatch.attentive) this.wake();
        else this.#schedule();
      }, left);
    } else if (!this.#deps.isHidden()) {
      this.#timer = setTimeout(this.wake, phase === "done" ? WAIT_MS : RETRY_MS);
    }
  }

  /** The server has taken some decisions; it says when somebody else had decided before. */
  #hear(sent: Sent): void {
    const { projectId, jobId } = this.#deps;
    if (sent.kind !== "decision" || sent.projectId !== projectId || sent.jobId !== jobId) return;
    const { results, review } = sent.response;
    const late = results.filter(({ status }) => status === "late").map(({ key }) => key);
    this.#set({ review, late: this.#view.late + late.length });
    this.#withdraw(late);
    for (const { key } of results) this.#sent.delete(key);
    if (!this.#view.current) this.wake();
  }

  /** Decisions that do not hold are none to come back to. */
  #withdraw(keys: string[]): void {
    const gone = new Set(keys.flatMap((key) => this.#sent.get(key) ?? []));
    for (const key of keys) this.#sent.delete(key);
    if (gone.size === 0) return;
    this.#set({ history: this.#view.history.filter(({ id }) => !gone.has(id)) });
  }

  /** Undo reaches back to what was decided before this visit, sent or not. */
  async #restore(): Promise<void> {
    const { api, sender, projectId, jobId } = this.#deps;
    const recent = await api.recent(REACHABLE).catch(() => []);
    const unsent = await sender.decisionsOf(projectId, jobId);
    for (const { key, subject } of unsent) this.#sent.set(key, subject.id);
    const { history, current, upcoming } = this.#view;
    const present = [...history, ...(current ? [current] : []), ...upcoming];
    const restored = restoreHistory(recent, unsent, present);
    this.#set({ history: [...restored, ...history].slice(-REACHABLE) });
  }

  #set(change: Partial<ReviewView>): void {
    this.#view = { ...this.#view, ...change };
    for (const listener of this.#listeners) listener();
  }
}
