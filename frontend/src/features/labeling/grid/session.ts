import type { LabelingApi } from "../../../api/labeling";
import { Listeners } from "../../../lib/listeners";
import type { Choice } from "../../../tasks/choice";
import { toStored } from "../queue/entries";
import { Holding, type HoldingDependencies } from "../queue/holding";
import { Leases } from "../queue/leases";
import type { Clock, Pause } from "../queue/pace";
import type { AnswerSender } from "../queue/sender";
import { earlierWork, without } from "./batches";
import { deal, tidied } from "./groups";
import { type GridView, idOf, isDone, NEW, type Tile, tilesOf } from "./model";
import { judged, merged, reopened, turned, withdrawn } from "./page";
import { pageBefore, rememberPage } from "./pageMemory";

const HISTORY = 50;
/** How long a page that is loaded again finds what it held. */
const RELOAD_SECONDS = 20;
const WAITS = { waitMs: 2_500, catchUpMs: 300 };

type Dependencies = Clock &
  HoldingDependencies & {
    userId: number;
    /** How many images are on a page. */
    size: number;
    api: Pick<LabelingApi, "recent" | "status">;
    sender: AnswerSender;
  };

/** One annotator's place in the queue of one project, many images at a time. */
export class GridSession {
  readonly #deps: Dependencies;
  readonly #listeners = new Listeners();
  #view: GridView = NEW;
  #size: number;
  readonly #holding: Holding;
  readonly #leases: Leases;
  #answeredSinceLease = new Set<number>();
  #saving = false;
  #unlisten: (() => void)[] = [];
  /** The page before a reload, until its images are there again. */
  #before: number[];

  constructor(dependencies: Dependencies) {
    this.#deps = dependencies;
    this.#size = dependencies.size;
    this.#holding = new Holding(dependencies);
    this.#leases = new Leases({
      waits: WAITS,
      clock: dependencies,
      lease: () => this.#lease(),
      view: this.getView,
    });
    this.#before = pageBefore(dependencies);
  }

  readonly subscribe = this.#listeners.subscribe;

  readonly getView = (): GridView => this.#view;

  start(): void {
    const { sender, projectId } = this.#deps;
    this.#unlisten = [
      sender.onResponse((sent) => {
        if (sent.kind !== "answer" || sent.projectId !== projectId) return;
        this.#set({ status: sent.response.status });
        // What the server counts as answered makes room for more.
        if (this.#view.upcoming.length < this.#size) this.wake();
      }),
      sender.subscribe(() => this.#withdraw()),
    ];
    void this.#restore();
    this.wake();
  }

  /** Stop, and let others have what was leased. */
  stop(): void {
    this.#leases.stop();
    for (const unlisten of this.#unlisten) unlisten();
    this.#holding.end();
  }

  /** The page is about to go: others may have what was leased, unless it comes back at once. */
  leave(): void {
    this.#holding.release(RELOAD_SECONDS);
  }

  /** Look for images now: something changed on the server, or the page is visible again. */
  readonly wake = (): void => this.#leases.wake();

  /** Take a break: the page stays in view, and others may have what was leased. */
  pause(why: Pause): void {
    if (this.#view.paused) return;
    this.#set({ paused: why });
    this.#leases.rest(() => this.#holding.release());
  }

  readonly resume = (): void => {
    if (!this.#view.paused) return;
    this.#set({ paused: null });
    this.wake();
  };

  /** Show so many images at once: now if none of the page is judged yet, else from the next one on. */
  setSize(size: number): void {
    if (size === this.#size) return;
    this.#size = size;
    const { page, upcoming } = this.#view;
    if (page.length > 0 && page.every((tile) => tile.given === null)) {
      const [next, rest] = deal([...page, ...upcoming], size);
      this.#set({ page: next, upcoming: rest });
    }
    this.wake();
  }

  /** Go on here with what another tab of mine holds. */
  readonly takeOver = (): void => {
    this.#holding.takeOver();
    this.wake();
  };

  /**
   * Give one verdict on some images of the page, once it is stored on this device.
   *
   * Each gets an equal share of the time since the verdict before. Resolves to false when there was
   * nothing to judge, or the verdict before is still being stored.
   */
  async answer(ids: readonly number[], choice: Choice): Promise<boolean> {
    const before = this.#view.page.filter((tile) => ids.includes(idOf(tile)));
    if (before.length === 0 || this.#saving) return false;
    const after = judged(before, choice);
    const { sender, stopwatch } = this.#deps;
    const changes = after.flatMap((tile, index) => {
      const [was, { given }] = [before[index], tile];
      return was && given && given !== was.given ? [{ was, given }] : [];
    });
    if (changes.length > 0) {
      const seconds = stopwatch.seconds() / changes.length;
      this.#saving = true;
      for (const { was } of changes) this.#answeredSinceLease.add(idOf(was));
      try {
        await sender.add(
          ...changes.map(({ was, given }) => toStored(was, given, this.#deps, seconds)),
        );
      } finally {
        this.#saving = false;
      }
      stopwatch.start();
    }
    const fresh = before.filter((tile) => tile.given === null).length;
    const { mine } = this.#view;
    if (mine) this.#set({ mine: { today: mine.today + fresh, total: mine.total + fresh } });
    this.#close(after);
    return true;
  }

  /** Bring back what was judged last, all of it; each verdict holds until another is given. */
  undo(): number[] {
    const back = this.#saving ? null : reopened(this.#view);
    if (back) this.#set(back);
    return back?.undone.map(idOf) ?? [];
  }

  /** Leave images that were brought back with the verdicts they have. */
  keep(ids: readonly number[]): boolean {
    const wanted = new Set(ids);
    const back = this.#view.page.filter((tile) => tile.reopened && wanted.has(idOf(tile)));
    if (back.length === 0 || this.#saving) return false;
    this.#close(back.map((tile) => ({ ...tile, reopened: false })));
    return true;
  }

  /** Let go of groups that are complete, which are shown for a moment before they leave. */
  tidy(): void {
    const page = tidied(this.#view.page);
    if (page.length < this.#view.page.length) this.#set({ page });
  }

  #withdraw(): void {
    const left = withdrawn(this.#view, this.#deps.sender.getView().rejected);
    if (!left) return;
    this.#set(left);
    this.wake();
  }

  #close(tiles: Tile[]): void {
    const now = new Map(tiles.map((tile) => [idOf(tile), tile]));
    const page = this.#view.page.map((tile) => now.get(idOf(tile)) ?? tile);
    const history = [...without(this.#view.history, new Set(now.keys())), tiles].slice(-HISTORY);
    this.#turn({ page, upcoming: this.#view.upcoming, history, undone: [] });
    if (this.#view.upcoming.length < this.#size || this.#leases.areShort) this.wake();
  }

  /** Turn to the next page if this one is done. */
  #turn(view: Pick<GridView, "page" | "upcoming"> & Partial<GridView>, held = true): void {
    const wasEmpty = this.#view.page.every(isDone);
    const next = turned(view, this.#size, new Set(this.#before));
    if (next) this.#before = [];
    if (next && wasEmpty) this.#deps.stopwatch.start();
    const between = held ? "loading" : "waiting";
    const done = (next ?? view).page.every(isDone);
    this.#set({ ...view, ...next, phase: done ? between : "working" });
  }

  async #lease(): Promise<void> {
    this.#answeredSinceLease = new Set();
    try {
      const unsent = await this.#deps.sender.answersOf(this.#deps.projectId);
      const lease = await this.#holding.lease(2 * this.#size, true);
      if (this.#leases.stopped) return;
      const saving = this.#answeredSinceLease;
      const answered = new Set([...unsent.map(({ subject }) => subject.query_id), ...saving]);
      const pages = merged(this.#view, tilesOf(lease), answered, saving);
      this.#leases.expiresAt = lease.expires_at ? Date.parse(lease.expires_at) : 0;
      // Images whose answers are still on the way: nothing to show, but nothing to wait for either.
      const { status, held_elsewhere: elsewhere } = lease;
      this.#turn({ ...pages, status, elsewhere, error: null }, lease.items.length > 0);
    } catch (error) {
      const phase = this.#view.page.every(isDone) ? "failed" : "working";
      if (!this.#leases.stopped) this.#set({ phase, error: error as Error });
    }
  }

  /** What is left of earlier visits: undo reaches back to it, and my counts go on from there. */
  async #restore(): Promise<void> {
    try {
      const { batches, mine } = await earlierWork(this.#deps);
      const { history, page } = this.#view;
      const present = new Set([...history.flat(), ...page].map(idOf));
      this.#set({ history: [...without(batches, present), ...history].slice(-HISTORY), mine });
    } catch {
      // Undo then reaches back to the start of this visit only, and there are no counts.
    }
  }

  #set(change: Partial<GridView>): void {
    this.#view = { ...this.#view, ...change };
    if (change.page && change.page.length > 0) rememberPage(this.#deps, change.page.map(idOf));
    this.#listeners.tell();
  }
}
