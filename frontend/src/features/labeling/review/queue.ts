import { ApiError, isTransient } from "../../../api/errors";
import type { ReviewApi } from "../../../api/reviews";
import type { Decision, DecisionInput, Review, Suggestion } from "../../../api/types";
import { uuid } from "../queue/uuid";

const AHEAD = 24;
const REFILL_BELOW = 8;
const REACHABLE = 10;
const BACKOFF_MS = [500, 1_000, 2_000, 5_000, 15_000];

export type ReviewView = {
  phase: "loading" | "deciding" | "done" | "failed";
  current: Suggestion | null;
  upcoming: Suggestion[];
  /** Decided in this visit or just before it, the latest last. */
  history: Suggestion[];
  review: Review | null;
  /** Decisions the server has not acknowledged yet. */
  unsent: number;
  /** What the server would not take, in its words. */
  refused: string | null;
  error: Error | null;
};

type Dependencies = {
  api: ReviewApi;
  /** Where decisions wait for the server; it outlives the page. */
  storage: Pick<Storage, "getItem" | "setItem" | "removeItem">;
  key: string;
  seconds: () => number;
  wait?: (milliseconds: number) => Promise<void>;
};

/** The suggestions of one job, one after the other; decisions are stored here until they are there. */
export class ReviewQueue {
  readonly #deps: Required<Dependencies>;
  readonly #listeners = new Set<() => void>();
  readonly #decided = new Set<number>();
  #pending: DecisionInput[] = [];
  #sending = false;
  #leasing = false;
  #exhausted = false;
  #stopped = false;
  #view: ReviewView = {
    phase: "loading",
    current: null,
    upcoming: [],
    history: [],
    review: null,
    unsent: 0,
    refused: null,
    error: null,
  };

  constructor(dependencies: Dependencies) {
    this.#deps = { wait: sleep, ...dependencies };
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly getView = (): ReviewView => this.#view;

  /** Take up what an earlier visit has left, then ask for suggestions. */
  async start(): Promise<void> {
    this.#pending = JSON.parse(this.#deps.storage.getItem(this.#deps.key) ?? "[]");
    for (const { suggestion_id } of this.#pending) this.#decided.add(suggestion_id);
    this.#set({ unsent: this.#pending.length });
    await this.#send();
    try {
      const recent = await this.#deps.api.recent(REACHABLE);
      this.#set({ history: recent.reverse() });
    } catch {
      // Undo then reaches what is decided from here on.
    }
    await this.refill();
  }

  stop(): void {
    this.#stopped = true;
  }

  decide(decision: Decision): void {
    const { current } = this.#view;
    if (!current) return;
    this.#decided.add(current.id);
    this.#pending.push({
      key: uuid(),
      suggestion_id: current.id,
      decision,
      seconds: Math.round(this.#deps.seconds() * 1000) / 1000,
    });
    this.#store();
    this.#advance({ ...current, decision });
    void this.#send();
  }

  /** Go back to the suggestion before; the decision holds until another is made. */
  undo(): void {
    const { history, current, upcoming } = this.#view;
    const previous = history.at(-1);
    if (!previous) return;
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
    if (current?.decision) this.#advance(current);
  }

  /** Ask for more suggestions, if few are left. */
  async refill(): Promise<void> {
    if (this.#leasing || this.#exhausted || this.#view.upcoming.length >= REFILL_BELOW) return;
    this.#leasing = true;
    try {
      const lease = await this.#deps.api.lease(AHEAD);
      const held = new Set([this.#view.current, ...this.#view.upcoming].map((one) => one?.id));
      const fresh = lease.items.filter(({ id }) => !held.has(id) && !this.#decided.has(id));
      this.#exhausted = lease.items.length < AHEAD;
      const upcoming = [...this.#view.upcoming, ...fresh];
      this.#set({ upcoming, review: lease.review, error: null });
      if (!this.#view.current) this.#next();
    } catch (error) {
      this.#set({ error: error as Error, ...(!this.#view.current && { phase: "failed" }) });
    } finally {
      this.#leasing = false;
    }
  }

  #advance(done: Suggestion): void {
    const others = this.#view.history.filter(({ id }) => id !== done.id);
    this.#set({ history: [...others, done].slice(-REACHABLE) });
    this.#next();
    void this.refill();
  }

  #next(): void {
    const [current = null, ...upcoming] = this.#view.upcoming;
    const waits = !current && !this.#exhausted;
    this.#set({ current, upcoming, phase: current ? "deciding" : waits ? "loading" : "done" });
  }

  /** Send all that waits, in order; a retry with the same key changes nothing. */
  async #send(): Promise<void> {
    if (this.#sending) return;
    this.#sending = true;
    for (let failures = 0; this.#pending.length > 0 && !this.#stopped; ) {
      const batch = this.#pending.slice(0, 64);
      try {
        const { results, review } = await this.#deps.api.decide(batch);
        const refused = results.find((result) => result.status === "rejected");
        this.#pending = this.#pending.slice(batch.length);
        this.#set({ review, ...(refused && { refused: refused.detail }) });
        failures = 0;
      } catch (error) {
        if (error instanceof ApiError && !isTransient(error) && error.status !== 401) {
          // It will never be taken; what is waiting stays on this device.
          this.#set({ error, phase: "failed" });
          break;
        }
        await this.#deps.wait(BACKOFF_MS[Math.min(failures, BACKOFF_MS.length - 1)] ?? 0);
        failures += 1;
      }
      this.#store();
    }
    this.#sending = false;
  }

  #store(): void {
    const { storage, key } = this.#deps;
    if (this.#pending.length > 0) storage.setItem(key, JSON.stringify(this.#pending));
    else storage.removeItem(key);
    this.#set({ unsent: this.#pending.length });
  }

  #set(change: Partial<ReviewView>): void {
    this.#view = { ...this.#view, ...change };
    for (const listener of this.#listeners) listener();
  }
}

const sleep = (milliseconds: number) =>
  new Promise<void>((resolve) => setTimeout(resolve, milliseconds));
