import { ApiError, isTransient, isUnauthenticated } from "../../../api/errors";
import type { LabelingApi } from "../../../api/labeling";
import type { Answer, AnswerResult, SubmitResponse } from "../../../api/types";
import type { PendingAnswer, RejectedAnswer, StoredAnswer } from "./model";
import type { Outbox } from "./outbox";

const BATCH = 64;
const FIRST_BACKOFF_MS = 500;
const MAX_BACKOFF_MS = 30_000;
/** A project that takes no answers now (paused, say) is asked again after this long. */
const HOLD_MS = 15_000;

export type SenderView = {
  pending: PendingAnswer[];
  rejected: RejectedAnswer[];
  state: "idle" | "sending" | "retrying" | "signed_out";
};

type Dependencies = {
  userId: number;
  outbox: Outbox;
  api: Pick<LabelingApi, "submit">;
  /** Run `work` while no other tab of this user sends. */
  exclusive: <T>(work: () => Promise<T>) => Promise<T>;
  wait?: (milliseconds: number, wake: AbortSignal) => Promise<void>;
  now?: () => number;
};

/** Sends stored answers in order, one batch at a time, until the server has acknowledged each. */
export class AnswerSender {
  readonly #deps: Required<Dependencies>;
  readonly #listeners = new Set<() => void>();
  readonly #onResponse = new Set<(projectId: number, response: SubmitResponse) => void>();
  readonly #heldUntil = new Map<number, number>();
  #view: SenderView = { pending: [], rejected: [], state: "idle" };
  #running = false;
  #again = false;
  #stopped = false;
  #failures = 0;
  #batch = BATCH;
  #sleep: AbortController | null = null;

  constructor(dependencies: Dependencies) {
    this.#deps = { wait: sleep, now: () => Date.now(), ...dependencies };
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly getView = (): SenderView => this.#view;

  get durable(): boolean {
    return this.#deps.outbox.durable;
  }

  /** Be told of every acknowledgement. */
  onResponse(listener: (projectId: number, response: SubmitResponse) => void): () => void {
    this.#onResponse.add(listener);
    return () => this.#onResponse.delete(listener);
  }

  /** Take up what an earlier visit has left. */
  async start(): Promise<void> {
    this.#set({ rejected: await this.#deps.outbox.rejected(this.#deps.userId) });
    await this.flush();
  }

  /** Store an answer, then send it in the background. Resolves once it is stored. */
  async add(answer: StoredAnswer): Promise<void> {
    const stored = await this.#deps.outbox.add(answer);
    this.#set({ pending: [...this.#view.pending, stored] });
    void this.flush();
  }

  async pendingOf(projectId: number): Promise<PendingAnswer[]> {
    const pending = await this.#deps.outbox.pending(this.#deps.userId);
    return pending.filter((answer) => answer.projectId === projectId);
  }

  /** Try again now: the network is back, or the annotator has signed in again. */
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
    this.#running = true;
    try {
      while (!this.#stopped && this.#view.state !== "signed_out") {
        this.#again = false;
        const pause = await this.#deps.exclusive(() => this.#sendOnce());
        if (pause === null) {
          if (!this.#again) break;
        } else if (pause > 0) {
          await this.#pause(pause);
        }
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
    const first = pending.find((answer) => (this.#heldUntil.get(answer.projectId) ?? 0) <= now);
    if (!first) {
      if (pending.length > 0) this.#set({ state: "retrying" });
      else this.#batch = BATCH;
      return pending.length > 0 ? HOLD_MS : null;
    }
    const batch = pending
      .filter((answer) => answer.projectId === first.projectId)
      .slice(0, this.#batch);
    if (this.#view.state === "idle") this.#set({ state: "sending" });
    try {
      const response = await this.#deps.api.submit(first.projectId, batch.map(toAnswer));
      return await this.#settle(batch, response);
    } catch (error) {
      return await this.#fail(batch, error);
    }
  }

  async #settle(batch: PendingAnswer[], response: SubmitResponse): Promise<number> {
    const results = new Map(response.results.map((result) => [result.key, result]));
    const settled: PendingAnswer[] = [];
    let refused = 0;
    for (const answer of batch) {
      const result = results.get(answer.key);
      if (!result) continue;
      if (isRefused(result)) {
        refused += 1;
        await this.#reject(answer, result.code ?? "rejected", result.detail ?? "");
      } else {
        settled.push(answer);
      }
    }
    await this.#deps.outbox.settle(settled);
    this.#forget(settled);
    for (const listener of this.#onResponse) listener(batch[0]?.projectId ?? 0, response);
    // An answer without a result stays; without any the server is not well.
    if (settled.length + refused === 0) return this.#backOff();
    if (refused > 0) this.#batch = BATCH;
    this.#failures = 0;
    this.#set({ state: "sending" });
    return 0;
  }

  async #fail(batch: PendingAnswer[], error: unknown): Promise<number | null> {
    if (isUnauthenticated(error)) {
      this.#set({ state: "signed_out" });
      return null;
    }
    if (!(error instanceof ApiError) || isTransient(error)) return this.#backOff();
    const [first] = batch;
    if (!first) return null;
    if (error.status === 409) {
      this.#heldUntil.set(first.projectId, this.#deps.now() + HOLD_MS);
      return 0;
    }
    // The request was refused as a whole: find the answer at fault by sending them one by one.
    if (batch.length > 1) {
      this.#batch = 1;
      return 0;
    }
    await this.#reject(first, error.code, error.message);
    this.#batch = BATCH;
    return 0;
  }

  #backOff(): number {
    const base = Math.min(FIRST_BACKOFF_MS * 2 ** this.#failures, MAX_BACKOFF_MS);
    this.#failures += 1;
    this.#set({ state: "retrying" });
    return base * (0.75 + Math.random() / 2);
  }

  async #pause(milliseconds: number): Promise<void> {
    this.#sleep = new AbortController();
    await this.#deps.wait(milliseconds, this.#sleep.signal);
    this.#sleep = null;
  }

  async #reject(answer: PendingAnswer, code: string, detail: string): Promise<void> {
    await this.#deps.outbox.reject(answer, code, detail);
    this.#forget([answer]);
    this.#set({ rejected: [...this.#view.rejected, { ...answer, code, detail }] });
  }

  #forget(answers: PendingAnswer[]): void {
    const gone = new Set(answers.map((answer) => answer.seq));
    this.#set({ pending: this.#view.pending.filter((answer) => !gone.has(answer.seq)) });
  }

  #set(change: Partial<SenderView>): void {
    this.#view = { ...this.#view, ...change };
    for (const listener of this.#listeners) listener();
  }
}

/** A retry of a refused answer comes back as a duplicate that carries the refusal's code. */
const isRefused = (result: AnswerResult): boolean =>
  result.status === "rejected" || (result.status === "duplicate" && result.annotation_id === null);

function toAnswer(stored: PendingAnswer): Answer {
  return {
    key: stored.key,
    query_id: stored.subject.query_id,
    verdict: stored.verdict,
    seconds: stored.seconds,
    ...(stored.classId === null ? {} : { class_id: stored.classId }),
    ...(stored.supersedes === null ? {} : { supersedes: stored.supersedes }),
    ...(stored.leaseToken === null ? {} : { lease_token: stored.leaseToken }),
  };
}

function sleep(milliseconds: number, wake: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    wake.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
