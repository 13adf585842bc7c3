import { serverNow } from "../../../api/clock";
import { ApiError } from "../../../api/errors";
import type { Stopwatch } from "./stopwatch";

/** Leases are renewed when less than this is left of them and somebody is at work. */
const RENEW_MS = 120_000;
const LEAST_RENEW_MS = 15_000;
const RETRY_MS = 2_500;
const HIDDEN_MS = 20_000;

/** How much is held at a time, and how often more is asked for. */
export type Pace = {
  /** With this many items left, or fewer, more are leased. */
  refillAt: number;
  /** How many verdicts can be gone back to. */
  reachable: number;
  /** While there is nothing to do. */
  waitMs: number;
  /** While the verdicts on what is leased are still on their way. */
  catchUpMs: number;
};

/** Why nothing is leased: somebody asked for a break, or nobody seemed to be there. */
export type Pause = "asked" | "away";

export type QueueView<Item> = {
  phase: "loading" | "working" | "waiting" | "failed";
  current: Item | null;
  upcoming: Item[];
  /** What undo can reach, the latest last. */
  history: Item[];
  /** Everything with a verdict that can be gone back to, the latest last; may hold the current one. */
  trail: Item[];
  paused: Pause | null;
  error: Error | null;
};

export type Leased<Item> = { items: Item[]; expiresAt: number };

export type Clock = { stopwatch: Stopwatch; now?: () => number; isHidden?: () => boolean };

/**
 * A place in a queue that others work on too: what is shown, what comes next, what went before.
 *
 * Items are leased in time and renewed while somebody is at work; a verdict is stored before the next
 * item is shown, and can be gone back to. What the items are, and where verdicts go, is the heir's.
 */
export abstract class WorkQueue<Item, Extra extends object> {
  readonly #pace: Pace;
  readonly #clock: Required<Clock>;
  readonly #listeners = new Set<() => void>();
  /** The turn in which each item got the verdict it has. */
  readonly #turns = new Map<number, number>();
  #view: QueueView<Item> & Extra;
  #turn = 0;
  #leasing: Promise<void> | null = null;
  #givenSinceLease = new Set<number>();
  #expiresAt = 0;
  #saving = false;
  #stopped = false;
  #reclaiming = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(pace: Pace, clock: Clock, extra: Extra) {
    this.#pace = pace;
    this.#clock = { now: serverNow, isHidden: () => document.hidden, ...clock };
    const lists = { upcoming: [], history: [], trail: [] };
    const empty = { phase: "loading", current: null, paused: null, error: null } as const;
    this.#view = { ...empty, ...lists, ...extra };
  }

  protected abstract idOf(item: Item): number;
  /** Whether the item has a verdict. */
  protected abstract isGiven(item: Item): boolean;
  /** Items whose verdicts the server may not know yet. */
  protected abstract unsent(): Promise<number[]>;
  protected abstract lease(): Promise<Leased<Item>>;
  /** Verdicts of earlier visits, each item once, the latest last. */
  protected abstract earlier(): Promise<Item[]>;
  /** Let others have what was leased. */
  protected abstract giveBack(): void;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly getView = (): QueueView<Item> & Extra => this.#view;

  start(): void {
    void this.#restore();
    this.wake();
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
    this.release();
  }

  release(): void {
    this.#expiresAt = 0;
    this.giveBack();
  }

  /** Look for items now: something changed on the server, or the page is visible again. */
  readonly wake = (): void => {
    clearTimeout(this.#timer);
    if (!this.#view.paused) void this.#leaseSoon();
  };

  /** Take a break: the item stays in view, and others may have what was leased. */
  pause(why: Pause): void {
    if (this.#view.paused) return;
    clearTimeout(this.#timer);
    this.set({ paused: why });
    // A lease on its way would be held for nobody.
    if (this.#leasing) void this.#leasing.then(() => this.#view.paused && this.release());
    else this.release();
  }

  resume(): void {
    if (!this.#view.paused) return;
    this.#reclaiming = true;
    this.set({ paused: null });
    this.wake();
  }

  /** Go back to the item before; its verdict holds until another is given. */
  undo(): boolean {
    const { history, current, upcoming } = this.#view;
    const last = history.at(-1);
    if (!last || this.#saving) return false;
    this.set({
      phase: "working",
      current: last,
      history: history.slice(0, -1),
      upcoming: current ? [current, ...upcoming] : upcoming,
    });
    return true;
  }

  /** Go to any item that can be gone back to; work goes on afterwards where it was left. */
  revisit(id: number): boolean {
    const { trail, history, current, upcoming } = this.#view;
    const chosen = trail.find((item) => this.idOf(item) === id);
    if (!chosen || this.#saving || (current && this.idOf(current) === id)) return false;
    const others = (items: Item[]) => items.filter((item) => this.idOf(item) !== id);
    const left = current && this.isGiven(current) ? [current] : [];
    const kept = current && left.length === 0 ? [current] : [];
    this.set({
      phase: "working",
      current: chosen,
      history: this.#inTurn([...others(history), ...left]),
      upcoming: [...kept, ...others(upcoming)],
    });
    return true;
  }

  /** Step along what was given, to the one before (-1) or after (1); past the last, work goes on. */
  step(by: -1 | 1): boolean {
    const { trail, current } = this.#view;
    const at = current ? trail.indexOf(current) : -1;
    if (by === 1 && (at < 0 || at === trail.length - 1)) return this.keep();
    const item = at < 0 ? trail.at(-1) : trail[at + by];
    return item !== undefined && this.revisit(this.idOf(item));
  }

  /** Leave an item one came back to with the verdict it has. */
  keep(): boolean {
    const { current } = this.#view;
    if (!current || !this.isGiven(current) || this.#saving) return false;
    this.#advance(current);
    return true;
  }

  /**
   * Store a verdict on the current item, and move on once that is done.
   *
   * Resolves to false when there was nothing to judge, or the verdict before is still being stored.
   */
  protected async give(store: (current: Item) => Promise<Item>): Promise<boolean> {
    const { current } = this.#view;
    if (!current || this.#saving) return false;
    this.#saving = true;
    this.#givenSinceLease.add(this.idOf(current));
    try {
      const given = await store(current);
      this.#turn += 1;
      this.#turns.set(this.idOf(given), this.#turn);
      this.#advance(given);
    } finally {
      this.#saving = false;
    }
    return true;
  }

  /** Verdicts that do not hold are none to come back to. */
  protected forget(ids: ReadonlySet<number>): void {
    this.set({ history: this.#view.history.filter((item) => !ids.has(this.idOf(item))) });
  }

  protected set(change: Partial<QueueView<Item>> | Partial<Extra>): void {
    const view = { ...this.#view, ...change };
    const { current, history, upcoming } = view;
    const revisited = [...(current ? [current] : []), ...upcoming].filter((one) =>
      this.isGiven(one),
    );
    const trail = revisited.length > 0 ? this.#inTurn([...history, ...revisited]) : history;
    this.#view = { ...view, trail };
    for (const listener of this.#listeners) listener();
  }

  #inTurn(items: Item[]): Item[] {
    const turnOf = (item: Item) => this.#turns.get(this.idOf(item)) ?? 0;
    return [...items].sort((a, b) => turnOf(a) - turnOf(b));
  }

  #advance(done: Item): void {
    const { history } = this.#view;
    const others = history.filter((item) => this.idOf(item) !== this.idOf(done));
    let { upcoming } = this.#view;
    // Others may hold what was leased too long ago; ask again rather than judge it twice.
    if (this.#clock.now() >= this.#expiresAt) {
      upcoming = upcoming.filter((item) => this.isGiven(item));
    }
    const [next = null, ...rest] = upcoming;
    this.set({
      phase: next ? "working" : "loading",
      current: next,
      upcoming: rest,
      history: this.#inTurn([...others, done]).slice(-this.#pace.reachable),
    });
    const renew = this.#expiresAt - this.#clock.now() < RENEW_MS;
    if (rest.length <= this.#pace.refillAt || renew) this.wake();
  }

  #leaseSoon(): Promise<void> {
    this.#leasing ??= this.#leaseOnce().finally(() => {
      this.#leasing = null;
      this.#schedule();
    });
    return this.#leasing;
  }

  async #leaseOnce(): Promise<void> {
    this.#givenSinceLease = new Set();
    try {
      const unsent = await this.unsent();
      const leased = await this.lease();
      if (this.#stopped) return;
      this.#merge(leased, new Set([...unsent, ...this.#givenSinceLease]));
    } catch (error) {
      const phase = this.#view.current ? "working" : "failed";
      if (!this.#stopped) this.set({ phase, error: error as Error });
    }
  }

  /** New items go to the end, and those lost in the meantime go away. */
  #merge({ items, expiresAt }: Leased<Item>, given: ReadonlySet<number>): void {
    const open = items.filter((item) => !given.has(this.idOf(item)));
    const mine = new Set(open.map((item) => this.idOf(item)));
    const holds = (item: Item) => this.isGiven(item) || mine.has(this.idOf(item));
    const { current: shown, upcoming } = this.#view;
    // After a break the image may be on somebody else's screen; in between it stays on mine.
    const lost = shown && this.#reclaiming && !this.#saving && !holds(shown);
    this.#reclaiming = false;
    const current = lost ? null : shown;
    const kept = upcoming.filter(holds);
    const known = new Set([...(current ? [current] : []), ...kept].map((item) => this.idOf(item)));
    const queue = [...kept, ...open.filter((item) => !known.has(this.idOf(item)))];
    const next = current ?? queue.shift() ?? null;
    this.#expiresAt = expiresAt;
    // Items whose verdicts are still on the way: nothing to show, but nothing to wait for either.
    const between = items.length > 0 ? "loading" : "waiting";
    this.set({ phase: next ? "working" : between, current: next, upcoming: queue, error: null });
  }

  /** Ask again later: for renewal while there are items, for new ones when not. */
  #schedule(): void {
    clearTimeout(this.#timer);
    const { error, current, phase, paused } = this.#view;
    if (this.#stopped || paused) return;
    // What is forbidden or gone stays so; a session can be renewed, and a conflict can pass.
    if (error instanceof ApiError && [403, 404].includes(error.status)) return;
    if (current && !error) {
      const left = Math.max(this.#expiresAt - RENEW_MS - this.#clock.now(), LEAST_RENEW_MS);
      this.#timer = setTimeout(() => {
        if (this.#clock.stopwatch.attentive) this.wake();
        else this.#schedule();
      }, left);
      return;
    }
    const { waitMs, catchUpMs } = this.#pace;
    const visible = { loading: catchUpMs, waiting: waitMs, working: RETRY_MS, failed: RETRY_MS };
    const delay =
      this.#clock.isHidden() && phase !== "loading" ? Math.max(HIDDEN_MS, waitMs) : visible[phase];
    this.#timer = setTimeout(this.wake, delay * (0.8 + Math.random() * 0.4));
  }

  /** What is left of earlier visits: one can go back to it. */
  async #restore(): Promise<void> {
    const earlier = await this.earlier().catch(() => []);
    const { history, current, upcoming } = this.#view;
    const present = new Set(
      [...history, ...(current ? [current] : []), ...upcoming].map((item) => this.idOf(item)),
    );
    const restored = earlier.filter((item) => !present.has(this.idOf(item)));
    restored.forEach((item, index) => {
      this.#turns.set(this.idOf(item), index - restored.length);
    });
    this.set({ history: [...restored, ...history].slice(-this.#pace.reachable) });
  }
}
