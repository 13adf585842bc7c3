import { Listeners } from "../../../lib/listeners";
import { isUnsent, keepNote, noteToSend, readNote } from "../../../tasks/drafts";
import { Leases } from "./leases";
import {
  absent,
  advanced,
  begun,
  beside,
  type Lists,
  merged,
  revisited,
  trailOf,
  undone,
} from "./lists";
import { type Clock, type Leased, nothingYet, type Pace, type Pause, type QueueView } from "./pace";
import { Storing } from "./storing";
import { Turns } from "./turns";

/**
 * A place in a queue that others work on too: what is shown, what comes next, what went before.
 *
 * Items are leased in time and renewed while somebody is at work; a verdict is stored before the next item
 * is shown, and can be gone back to. What they are, and where verdicts go, is the heir's.
 */
export abstract class WorkQueue<Item, Extra extends object> {
  readonly #pace: Pace;
  readonly #leases: Leases;
  readonly #storing = new Storing();
  readonly #listeners = new Listeners();
  readonly #turns = new Turns();
  readonly #traits = {
    idOf: (item: Item) => this.idOf(item),
    isGiven: (item: Item) => this.isGiven(item),
    inTurn: (items: Item[]) => this.#turns.sorted(items, (item) => this.idOf(item)),
  };
  #view: QueueView<Item> & Extra;
  /** What was given, and what came with verdicts: newer than what a lease on its way will say. */
  #sinceLease = { given: new Set<number>(), heard: {} as Partial<Extra> };
  #reclaiming = false;

  constructor(pace: Pace, clock: Clock, extra: Extra) {
    this.#pace = pace;
    this.#leases = new Leases({
      waits: pace,
      clock,
      lease: () => this.#leaseOnce(),
      view: this.getView,
    });
    this.#view = { ...nothingYet(), ...extra };
  }

  protected abstract idOf(item: Item): number;
  /** Under what name that is kept which is made of it and not said. */
  protected abstract draftOf(item: Item): string;
  /** Whether the item has a verdict. */
  protected abstract isGiven(item: Item): boolean;
  /** Items whose verdicts the server may not know yet. */
  protected abstract unsent(): Promise<number[]>;
  protected abstract lease(): Promise<Leased<Item, Extra>>;
  /** Verdicts of earlier visits, each item once, the latest last. */
  protected abstract earlier(): Promise<Item[]>;
  /** Let others have what was leased; at the end, also what will come of a lease on its way. */
  protected abstract giveBack(): void;
  protected abstract end(): void;

  readonly subscribe = this.#listeners.subscribe;

  readonly getView = (): QueueView<Item> & Extra => this.#view;

  /** Whether more was made of the item in view than has been said: whoever makes it tells. */
  isWorkedAt: () => boolean = () => false;

  /**
   * All of which more was made than has been said: what is in view, what comes next, what one can
   * go back to.
   */
  inHand(): Item[] {
    return begun(this.#view, this.#isBegun(), (item) => isUnsent(this.draftOf(item)));
  }

  /** Whether more was made of the item in view, or written beside it, than has been said. */
  #isBegun(): boolean {
    const { current } = this.#view;
    return this.isWorkedAt() || (current !== null && readNote(this.draftOf(current)) !== null);
  }

  /** The note that goes with a verdict on an item, which had one `before`. */
  protected noteOn(item: Item, before: string | null | undefined): string | null {
    return noteToSend(this.draftOf(item), before);
  }

  start(): void {
    void this.#restore();
    this.wake();
  }

  stop(): void {
    this.#leases.stop();
    this.end();
  }

  release(): void {
    this.#leases.expiresAt = 0;
    this.giveBack();
  }

  /** Look for items now: something changed on the server, or the page is visible again. */
  readonly wake = (): void => this.#leases.wake();

  /** Take a break: the item stays in view, and others may have what was leased. */
  pause(why: Pause): void {
    if (this.#view.paused) return;
    this.set({ paused: why });
    this.#leases.rest(() => this.release());
  }

  resume(): void {
    if (!this.#view.paused) return;
    this.#reclaiming = true;
    this.set({ paused: null });
    this.wake();
  }

  /** Go back to the item before; its verdict holds until another is given. */
  undo(): boolean {
    return this.#go(() => undone(this.#view));
  }

  /** Go to any item that can be gone back to; work goes on afterwards where it was left. */
  revisit(id: number): boolean {
    return this.#go(() => revisited(this.#view, id, this.#traits));
  }

  /** Step along what was given, to the one before (-1) or after (1); past the last, work goes on. */
  step(by: -1 | 1): boolean {
    return this.#storing.go(() => {
      const item = beside(this.#view, by);
      return item === undefined ? by === 1 && this.keep() : this.revisit(this.idOf(item));
    });
  }

  /** Leave an item one came back to with the verdict it has. */
  keep(): boolean {
    return this.#storing.go(() => {
      const { current } = this.#view;
      if (!current || !this.isGiven(current)) return false;
      this.#advance(current);
      return true;
    });
  }

  /**
   * Store a verdict on the current item, then move on.
   *
   * False if there is none, or if its predecessor's is being stored: nobody has seen it.
   */
  protected async give(store: (current: Item) => Promise<Item>): Promise<boolean> {
    const { current } = this.#view;
    if (!current || this.#storing.busy) return false;
    this.#sinceLease.given.add(this.idOf(current));
    await this.#storing.store(async () => {
      const given = await store(current);
      keepNote(this.draftOf(current), null);
      this.#turns.took(this.idOf(given));
      this.#advance(given);
    });
    return true;
  }

  #go(where: () => Lists<Item> | null): boolean {
    return this.#storing.go(() => {
      const lists = where();
      if (lists) this.set({ phase: "working", ...lists });
      return lists !== null;
    });
  }

  /** Verdicts that do not hold are none to come back to. */
  protected forget(ids: ReadonlySet<number>): void {
    this.set({ history: this.#view.history.filter((item) => !ids.has(this.idOf(item))) });
  }

  /** What the server said of the work when it took verdicts. */
  protected hear(said: Partial<Extra>): void {
    this.#sinceLease.heard = { ...this.#sinceLease.heard, ...said };
    this.set(said);
  }

  protected set(change: Partial<QueueView<Item>> | Partial<Extra>): void {
    const view = { ...this.#view, ...change };
    this.#view = { ...view, trail: trailOf(view, this.#traits) };
    this.#listeners.tell();
  }

  #advance(done: Item): void {
    const lists = advanced(this.#view, done, this.#leases.areOver, this.#traits);
    const history = lists.history.slice(-this.#pace.reachable);
    this.set({ ...lists, history, phase: lists.current ? "working" : "loading" });
    if (lists.upcoming.length <= this.#pace.refillAt || this.#leases.areShort) this.wake();
  }

  async #leaseOnce(): Promise<void> {
    this.#sinceLease = { given: new Set(), heard: {} };
    try {
      const unsent = await this.unsent();
      const leased = await this.lease();
      if (this.#leases.stopped) return;
      this.#merge(leased, new Set([...unsent, ...this.#sinceLease.given]));
    } catch (error) {
      const phase = this.#view.current ? "working" : "failed";
      if (!this.#leases.stopped) this.set({ phase, error: error as Error });
    }
  }

  #merge({ items, expiresAt, said }: Leased<Item, Extra>, given: ReadonlySet<number>): void {
    const open = items.filter((item) => !given.has(this.idOf(item)));
    // After a break the image may be on somebody else's screen; in between it stays on mine.
    const reclaiming = this.#reclaiming && !this.#storing.busy && !this.#isBegun();
    const lists = merged(this.#view, open, reclaiming, this.#traits);
    this.#reclaiming = false;
    this.#leases.isBehind =
      open.length < items.length && lists.upcoming.length <= this.#pace.refillAt;
    this.#leases.expiresAt = expiresAt;
    // Items whose verdicts are still on the way: nothing to show, but nothing to wait for either.
    const between = items.length > 0 ? "loading" : "waiting";
    const known = { ...said, ...this.#sinceLease.heard };
    this.set({ ...known, ...lists, phase: lists.current ? "working" : between, error: null });
  }

  /** What is left of earlier visits: one can go back to it. */
  async #restore(): Promise<void> {
    const earlier = await this.earlier().catch(() => []);
    const restored = absent(earlier, this.#view, this.#traits);
    this.#turns.tookEarlier(restored.map((item) => this.idOf(item)));
    this.set({ history: [...restored, ...this.#view.history].slice(-this.#pace.reachable) });
  }
}
