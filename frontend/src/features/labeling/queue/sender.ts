import { ApiError, isOfCaller, isOfProxy, isTransient } from "../../../api/errors";
import type { ReviewedJob } from "../../../api/types";
import { Listeners } from "../../../lib/listeners";
import type { Outbox, Pending, Rejected, Stored, StoredAnswer, StoredDecision } from "./model";
import {
  handBack,
  isAnswer,
  isDecision,
  isRefused,
  placeOf,
  type SendingApi,
  type Sent,
  send,
} from "./sending";
import { sleep } from "./sleep";

const BATCH = 64;
const FIRST_BACKOFF_MS = 500;
const MAX_BACKOFF_MS = 30_000;
/** A place that takes nothing now (a paused project, say) is asked again after this long. */
const HOLD_MS = 15_000;

export type SenderView = {
  pending: Pending[];
  rejected: Rejected[];
  state: "idle" | "sending" | "retrying" | "signed_out";
};

type Dependencies = {
  userId: number;
  outbox: Outbox;
  api: SendingApi;
  /** Whether requests of this browser still count as this user's. */
  isSignedIn?: () => boolean;
  /** Run `work` while no other tab of this user sends. */
  exclusive: <T>(work: () => Promise<T>) => Promise<T>;
  wait?: (milliseconds: number, wake: AbortSignal) => Promise<void>;
  now?: () => number;
};

/** Sends what is stored in order, one batch at a time, until the server has acknowledged each entry. */
export class AnswerSender {
  readonly #deps: Required<Dependencies>;
  readonly #listeners = new Listeners();
  readonly #responses = new Listeners<[Sent]>();
  readonly #heldUntil = new Map<string, number>();
  #view: SenderView = { pending: [], rejected: [], state: "idle" };
  #running = false;
  #again = false;
  #stopped = false;
  #failures = 0;
  #batch = BATCH;
  #sleep: AbortController | null = null;

  constructor(dependencies: Dependencies) {
    this.#deps = { isSignedIn: () => true, wait: sleep, now: () => Date.now(), ...dependencies };
  }

  readonly subscribe = this.#listeners.subscribe;

  readonly getView = (): SenderView => this.#view;

  get durable(): boolean {
    return this.#deps.outbox.durable;
  }

  /** Be told of every acknowledgement. */
  readonly onResponse = this.#responses.subscribe;

  /** Take up what an earlier visit has left. */
  async start(): Promise<void> {
    this.#set({ rejected: await this.#deps.outbox.rejected(this.#deps.userId) });
    await this.flush();
  }

  /** Store answers or decisions, all or none, then send them in the background. Resolves once they are stored. */
  async add(...entries: Stored[]): Promise<void> {
    const stored = await this.#deps.outbox.add(...entries);
    // Where nothing waited, it slept for the sake of the storage.
    if (this.#view.pending.length === 0) this.#sleep?.abort();
    this.#set({ pending: [...this.#view.pending, ...stored] });
    void this.flush();
  }

  /** Answers to a project that the server has not acknowledged. */
  async answersOf(projectId: number): Promise<StoredAnswer[]> {
    const answers = (await this.#waiting()).filter(isAnswer);
    return answers.filter((answer) => answer.projectId === projectId);
  }

  /** Decisions in a review that the server has not acknowledged. */
  async decisionsOf(projectId: number, jobId: ReviewedJob): Promise<StoredDecision[]> {
    const decisions = (await this.#waiting()).filter(isDecision);
    return decisions.filter((one) => one.projectId === projectId && one.jobId === jobId);
  }

  /** What waits; as it was last known where the storage does not say. */
  #waiting(): Promise<Pending[]> {
    return this.#deps.outbox.pending(this.#deps.userId).catch(() => this.#view.pending);
  }

  /** Try again now: the network is back, or the annotator has signed in again or done what they must. */
  wake(): void {
    this.#failures = 0;
    this.#heldUntil.clear();
    if (this.#view.state === "signed_out") this.#set({ state: "idle" });
    this.#sleep?.abort();
    void this.flush();
  }

  stop(): void {
    this.#stopped = true;
    this.#sleep?.abort();
  }

  async dismissRejected(): Promise<void> {
    await this.#deps.outbox.dismiss(this.#deps.userId);
    this.#set({ rejected: [] });
  }

  /** Send until nothing is left to send. Safe to call at any time. */
  async flush(): Promise<void> {
    this.#again = true;
    if (this.#running) return;
    // The storage may refuse, too; it is asked again like the server.
    const attempt = () => this.#sendOnce().catch(() => this.#backOff());
    this.#running = true;
    try {
      while (!this.#stopped && this.#view.state !== "signed_out") {
        this.#again = false;
        const pause = await this.#deps.exclusive(attempt);
        if (pause === null) {
          if (!this.#again) break;
        } else if (pause > 0) await this.#pause(pause);
      }
    } finally {
      this.#running = false;
    }
    if (this.#view.state !== "signed_out") this.#set({ state: "idle" });
  }

  /** Send one batch. Returns how long to pause before the next, or null when nothing is left. */
  async #sendOnce(): Promise<number | null> {
    const pending = await this.#deps.outbox.pending(this.#deps.userId);
    this.#set({ pending });
    const now = this.#deps.now();
    const first = pending.find((entry) => (this.#heldUntil.get(placeOf(entry)) ?? 0) <= now);
    if (!first) {
      if (pending.length > 0) this.#set({ state: "retrying" });
      else this.#batch = BATCH;
      return pending.length > 0 ? HOLD_MS : null;
    }
    if (!this.#deps.isSignedIn()) {
      this.#set({ state: "signed_out" });
      return null;
    }
    const batch = pending
      .filter((entry) => placeOf(entry) === placeOf(first))
      .slice(0, this.#batch);
    if (this.#view.state === "idle") this.#set({ state: "sending" });
    try {
      return await this.#settle(batch, await send(this.#deps.api, first, batch));
    } catch (error) {
      return await this.#fail(first, batch, error);
    }
  }

  async #settle(batch: Pending[], sent: Sent): Promise<number> {
    const results = new Map(sent.response.results.map((result) => [result.key, result]));
    const settled: Pending[] = [];
    let refused = 0;
    for (const entry of batch) {
      const result = results.get(entry.key);
      if (!result) continue;
      if (isRefused(result)) {
        refused += 1;
        await this.#reject(entry, result.code ?? "rejected", result.detail ?? "");
      } else settled.push(entry);
    }
    await this.#deps.outbox.settle(settled);
    this.#forget(settled);
    this.#responses.tell(sent);
    // An entry without a result stays; without any the server is not well.
    if (settled.length + refused === 0) return this.#backOff();
    if (refused > 0) this.#batch = BATCH;
    this.#failures = 0;
    this.#set({ state: "sending" });
    return 0;
  }

  async #fail(first: Pending, batch: Pending[], error: unknown): Promise<number | null> {
    if (isOfCaller(error)) {
      this.#set({ state: "signed_out" });
      return null;
    }
    if (!(error instanceof ApiError) || isTransient(error)) return this.#backOff();
    if (error.status === 409) return this.#hold(first);
    // The request was refused as a whole: find the entry at fault by sending them one by one.
    if (batch.length > 1) {
      this.#batch = 1;
      return 0;
    }
    this.#batch = BATCH;
    if (isOfProxy(error)) return this.#hold(first);
    await this.#reject(first, error.code, error.message);
    return 0;
  }

  /** Let the other places go on. */
  #hold(entry: Pending): number {
    this.#heldUntil.set(placeOf(entry), this.#deps.now() + HOLD_MS);
    return 0;
  }

  #backOff(): number {
    const base = Math.min(FIRST_BACKOFF_MS * 2 ** this.#failures, MAX_BACKOFF_MS);
    this.#failures += 1;
    if (this.#view.pending.length > 0) this.#set({ state: "retrying" });
    return base * (0.75 + Math.random() / 2);
  }

  async #pause(milliseconds: number): Promise<void> {
    this.#sleep = new AbortController();
    await this.#deps.wait(milliseconds, this.#sleep.signal);
    this.#sleep = null;
  }

  async #reject(entry: Pending, code: string, detail: string): Promise<void> {
    await this.#deps.outbox.reject(entry, code, detail);
    handBack(entry, this.#view.pending);
    this.#forget([entry]);
    this.#set({ rejected: [...this.#view.rejected, { ...entry, code, detail }] });
  }

  #forget(entries: Pending[]): void {
    const gone = new Set(entries.map((entry) => entry.seq));
    this.#set({ pending: this.#view.pending.filter((entry) => !gone.has(entry.seq)) });
  }

  #set(change: Partial<SenderView>): void {
    this.#view = { ...this.#view, ...change };
    this.#listeners.tell();
  }
}
