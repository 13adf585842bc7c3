import { serverNow } from "../../../api/clock";
import { ApiError } from "../../../api/errors";
import type { LabelingApi } from "../../../api/labeling";
import type { Lease, Verdict } from "../../../api/types";
import { mergeLease, restoreHistory, toStored } from "./entries";
import type { Entry, Given, SessionView } from "./model";
import type { AnswerSender } from "./sender";
import type { Stopwatch } from "./stopwatch";
import { uuid } from "./uuid";

export const LEASE_SIZE = 16;
/** With this many images left, or fewer, more are leased. */
export const REFILL_AT = 8;
const HISTORY = 50;
/** Leases are renewed when less than this is left of them and the annotator is at work. */
const RENEW_MS = 120_000;
const POLL_MS = 2_500;
const POLL_HIDDEN_MS = 20_000;
const CATCH_UP_MS = 300;

type Dependencies = {
  projectId: number;
  userId: number;
  client: string;
  api: Pick<LabelingApi, "lease" | "recent" | "status" | "release">;
  sender: AnswerSender;
  stopwatch: Stopwatch;
  now?: () => number;
  isHidden?: () => boolean;
};

/** One annotator's place in the queue of one project: what is shown, what comes next, what went before. */
export class LabelSession {
  readonly #deps: Required<Dependencies>;
  readonly #listeners = new Set<() => void>();
  #view: SessionView = {
    phase: "loading",
    current: null,
    upcoming: [],
    history: [],
    status: null,
    mine: null,
    error: null,
  };
  #leasing: Promise<void> | null = null;
  #answeredSinceLease = new Set<number>();
  #expiresAt = 0;
  #saving = false;
  #stopped = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #unlisten: () => void = () => {};

  constructor(dependencies: Dependencies) {
    this.#deps = { now: serverNow, isHidden: () => document.hidden, ...dependencies };
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly getView = (): SessionView => this.#view;

  start(): void {
    this.#unlisten = this.#deps.sender.onResponse((sent) => {
      if (sent.kind !== "answer" || sent.projectId !== this.#deps.projectId) return;
      this.#set({ status: sent.response.status });
    });
    void this.#restore();
    this.wake();
  }

  /** Stop, and let others have what was leased. */
  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
    this.#unlisten();
    this.release();
  }

  release(): void {
    this.#expiresAt = 0;
    this.#deps.api.release(this.#deps.projectId, this.#deps.client).catch(() => {});
  }

  /** Look for images now: something changed on the server, or the page is visible again. */
  readonly wake = (): void => {
    clearTimeout(this.#timer);
    void this.#lease();
  };

  /**
   * Give the verdict on the current image, and move on once it is stored on this device.
   *
   * Resolves to false when there was nothing to answer, or the previous answer is still being stored.
   */
  async answer(verdict: Verdict, classId: number | null = null): Promise<boolean> {
    const { current } = this.#view;
    if (!current || this.#saving) return false;
    this.#saving = true;
    const { sender, stopwatch, projectId, userId } = this.#deps;
    const given: Given = { key: uuid(), verdict, classId };
    try {
      this.#answeredSinceLease.add(current.subject.query_id);
      await sender.add(toStored(current, given, { projectId, userId }, stopwatch.seconds()));
      if (!current.given) this.#count();
      this.#advance({ ...current, given });
    } finally {
      this.#saving = false;
    }
    return true;
  }

  /** Go back to the image answered before, showing the verdict it was given. */
  undo(): boolean {
    const { history, current, upcoming } = this.#view;
    const last = history.at(-1);
    if (!last || this.#saving) return false;
    this.#set({
      phase: "labeling",
      current: last,
      history: history.slice(0, -1),
      upcoming: current ? [current, ...upcoming] : upcoming,
    });
    return true;
  }

  /** Leave a revisited image with the verdict it has. */
  keep(): boolean {
    const { current } = this.#view;
    if (!current?.given || this.#saving) return false;
    this.#advance(current);
    return true;
  }

  #count(): void {
    const { mine } = this.#view;
    if (mine) this.#set({ mine: { today: mine.today + 1, total: mine.total + 1 } });
  }

  #advance(answered: Entry): void {
    const history = [...this.#view.history, answered].slice(-HISTORY);
    let upcoming = this.#view.upcoming;
    // Others may hold what was leased too long ago; ask again rather than judge it twice.
    if (this.#deps.now() >= this.#expiresAt) upcoming = upcoming.filter((entry) => entry.given);
    const [next, ...rest] = upcoming;
    this.#set({
      phase: next ? "labeling" : "loading",
      current: next ?? null,
      upcoming: rest,
      history,
    });
    if (rest.length <= REFILL_AT || this.#mustRenew()) this.wake();
  }

  #mustRenew(): boolean {
    return this.#expiresAt - this.#deps.now() < RENEW_MS;
  }

  #lease(): Promise<void> {
    this.#leasing ??= this.#leaseOnce().finally(() => {
      this.#leasing = null;
      this.#schedule();
    });
    return this.#leasing;
  }

  async #leaseOnce(): Promise<void> {
    const { api, sender, projectId, client } = this.#deps;
    this.#answeredSinceLease = new Set();
    try {
      const unsent = await sender.answersOf(projectId);
      const lease = await api.lease(projectId, LEASE_SIZE, client);
      if (this.#stopped) return;
      const answered = new Set(unsent.map((answer) => answer.subject.query_id));
      for (const query of this.#answeredSinceLease) answered.add(query);
      this.#merge(lease, answered);
    } catch (error) {
      const phase = this.#view.current ? "labeling" : "failed";
      if (!this.#stopped) this.#set({ phase, error: error as Error });
    }
  }

  #merge(lease: Lease, answered: ReadonlySet<number>): void {
    const queue = mergeLease(this.#view.current, this.#view.upcoming, lease, answered);
    const next = this.#view.current ?? queue.shift() ?? null;
    this.#expiresAt = lease.expires_at ? Date.parse(lease.expires_at) : 0;
    // Images whose answers are still on the way: nothing to show, but nothing to wait for either.
    const catchingUp = lease.items.length > 0;
    this.#set({
      phase: next ? "labeling" : catchingUp ? "loading" : "waiting",
      current: next,
      upcoming: queue,
      status: lease.status,
      error: null,
    });
  }

  /** Ask again later: for new images while there are none, for renewal while there are some. */
  #schedule(): void {
    clearTimeout(this.#timer);
    if (this.#stopped) return;
    const { error, current, phase } = this.#view;
    // What is forbidden or gone stays so; a session can be renewed, and a conflict can pass.
    if (error instanceof ApiError && [403, 404].includes(error.status)) return;
    if (current && !error) {
      const left = Math.max(this.#expiresAt - RENEW_MS - this.#deps.now(), 15_000);
      this.#timer = setTimeout(() => {
        if (this.#deps.stopwatch.attentive) this.wake();
        else this.#schedule();
      }, left);
    } else {
      const idle = this.#deps.isHidden() ? POLL_HIDDEN_MS : POLL_MS;
      const delay = phase === "loading" ? CATCH_UP_MS : idle;
      this.#timer = setTimeout(() => this.wake(), delay * (0.8 + Math.random() * 0.4));
    }
  }

  /** What is left of earlier visits: undo reaches back to them, and my counts go on from them. */
  async #restore(): Promise<void> {
    const { api, sender, projectId } = this.#deps;
    try {
      const unsent = await sender.answersOf(projectId);
      const [recent, status] = await Promise.all([
        api.recent(projectId, 10),
        api.status(projectId),
      ]);
      const { history, current, upcoming } = this.#view;
      const present = [...history, ...(current ? [current] : []), ...upcoming];
      const uncounted = unsent.filter((answer) => !answer.supersedes).length;
      this.#set({
        history: [...restoreHistory(recent, unsent, present), ...history],
        mine: status.mine && {
          today: status.mine.today + uncounted,
          total: status.mine.total + uncounted,
        },
      });
    } catch {
      // Undo then reaches back to the start of this visit only, and there are no counts.
    }
  }

  #set(change: Partial<SessionView>): void {
    this.#view = { ...this.#view, ...change };
    for (const listener of this.#listeners) listener();
  }
}
