import { serverNow } from "../../../api/clock";
import { ApiError } from "../../../api/errors";
import type { LabelingApi } from "../../../api/labeling";
import type { Lease } from "../../../api/types";
import { toStored } from "../queue/entries";
import type { AnswerSender } from "../queue/sender";
import type { Stopwatch } from "../queue/stopwatch";
import { type Choice, isSame } from "../verdicts";
import { batchKeys, earlierBatches, without } from "./batches";
import { deal, groupsOf, isComplete } from "./groups";
import { type GridView, idOf, isDone, type Tile, tilesOf } from "./model";

const HISTORY = 50;
const RECENT = 100;
/** Leases are renewed when less than this is left of them and the annotator is at work. */
const RENEW_MS = 120_000;
const POLL_MS = 2_500;
const POLL_HIDDEN_MS = 20_000;
const CATCH_UP_MS = 300;
/** How long a page that is loaded again finds what it held. */
const RELOAD_SECONDS = 20;

type Dependencies = {
  projectId: number;
  userId: number;
  client: string;
  /** How many images are on a page. */
  size: number;
  api: Pick<LabelingApi, "lease" | "recent" | "status" | "release">;
  sender: AnswerSender;
  stopwatch: Stopwatch;
  now?: () => number;
  isHidden?: () => boolean;
};

/** One annotator's place in the queue of one project, many images at a time. */
export class GridSession {
  readonly #deps: Required<Dependencies>;
  readonly #listeners = new Set<() => void>();
  #view: GridView = {
    phase: "loading",
    page: [],
    upcoming: [],
    history: [],
    status: null,
    mine: null,
    error: null,
  };
  #size: number;
  #leasing: Promise<void> | null = null;
  #answeredSinceLease = new Set<number>();
  #expiresAt = 0;
  #saving = false;
  #stopped = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #unlisten: () => void = () => {};
  /** The page before a reload, until its images are there again. */
  #before: number[];

  constructor(dependencies: Dependencies) {
    this.#deps = { now: serverNow, isHidden: () => document.hidden, ...dependencies };
    this.#size = dependencies.size;
    this.#before = JSON.parse(sessionStorage.getItem(this.#storageKey) ?? "[]") as number[];
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly getView = (): GridView => this.#view;

  start(): void {
    const { sender, projectId } = this.#deps;
    this.#unlisten = sender.onResponse((sent) => {
      if (sent.kind !== "answer" || sent.projectId !== projectId) return;
      this.#set({ status: sent.response.status });
      // What the server counts as answered makes room for more.
      if (this.#view.upcoming.length < this.#size) this.wake();
    });
    void this.#restore();
    this.wake();
  }

  /** Stop, and let others have what was leased. */
  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
    this.#unlisten();
    this.#release(0);
  }

  /** The page is about to go: others may have what was leased, unless it comes back at once. */
  leave(): void {
    this.#release(RELOAD_SECONDS);
  }

  /** Look for images now: something changed on the server, or the page is visible again. */
  readonly wake = (): void => {
    clearTimeout(this.#timer);
    void this.#lease();
  };

  /** Show so many images at once: now if none of the page is judged yet, else from the next one on. */
  setSize(size: number): void {
    this.#size = size;
    const { page, upcoming } = this.#view;
    if (page.length > 0 && page.every((tile) => tile.given === null)) {
      const [next, rest] = deal([...page, ...upcoming], size);
      this.#set({ page: next, upcoming: rest });
    }
    this.wake();
  }

  /**
   * Give one verdict on some images of the page, once it is stored on this device.
   *
   * Each gets an equal share of the time since the verdict before. Resolves to false when there was
   * nothing to judge, or the verdict before is still being stored.
   */
  async answer(ids: readonly number[], choice: Choice): Promise<boolean> {
    const wanted = new Set(ids);
    const tiles = this.#view.page.filter((tile) => wanted.has(idOf(tile)));
    const changed = tiles.filter((tile) => !isSame(tile.given, choice));
    if (tiles.length === 0 || this.#saving) return false;
    if (changed.length === 0) return this.keep(ids);
    this.#saving = true;
    const { sender, stopwatch, projectId, userId } = this.#deps;
    const keys = batchKeys(changed.length);
    const given = new Map(
      changed.map((tile, index) => [idOf(tile), { ...choice, key: keys[index] as string }]),
    );
    const seconds = stopwatch.seconds() / changed.length;
    for (const id of given.keys()) this.#answeredSinceLease.add(id);
    try {
      const place = { projectId, userId };
      await sender.add(
        ...changed.flatMap((tile) => {
          const verdict = given.get(idOf(tile));
          return verdict ? [toStored(tile, verdict, place, seconds)] : [];
        }),
      );
    } finally {
      this.#saving = false;
    }
    stopwatch.start();
    this.#count(changed.filter((tile) => tile.given === null).length);
    this.#close(
      tiles.map((tile) => ({
        ...tile,
        given: given.get(idOf(tile)) ?? tile.given,
        reopened: false,
      })),
    );
    return true;
  }

  /** Bring back what was judged last, all of it; each verdict holds until another is given. */
  undo(): number[] {
    const last = this.#view.history.at(-1);
    if (!last || this.#saving) return [];
    const back = new Map(last.map((tile) => [idOf(tile), { ...tile, reopened: true }]));
    const page = this.#view.page.filter((tile) => !back.has(idOf(tile)));
    this.#set({
      phase: "working",
      page: [...back.values(), ...page],
      history: this.#view.history.slice(0, -1),
    });
    return [...back.keys()];
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
    const known = new Set(this.#view.page.flatMap(({ classId }) => classId ?? []));
    const gone = groupsOf(this.#view.page, known).filter(isComplete);
    const ids = new Set(gone.flatMap((group) => group.tiles.map(idOf)));
    if (ids.size > 0) this.#set({ page: this.#view.page.filter((tile) => !ids.has(idOf(tile))) });
  }

  #close(judged: Tile[]): void {
    const now = new Map(judged.map((tile) => [idOf(tile), tile]));
    const history = without(this.#view.history, new Set(now.keys()));
    this.#turn({
      page: this.#view.page.map((tile) => now.get(idOf(tile)) ?? tile),
      upcoming: this.#view.upcoming,
      history: [...history, judged].slice(-HISTORY),
    });
    const renew = this.#expiresAt - this.#deps.now() < RENEW_MS;
    if (this.#view.upcoming.length < this.#size || renew) this.wake();
  }

  /** Turn to the next page if this one is done. */
  #turn(view: Pick<GridView, "page" | "upcoming"> & Partial<GridView>, held = true): void {
    const idle = this.#view.page.every(isDone);
    let { page, upcoming } = view;
    if (page.every(isDone) && upcoming.length > 0) {
      const again = new Set(this.#before);
      const shown = upcoming.filter((tile) => again.has(idOf(tile)));
      [page, upcoming] =
        shown.length > 0
          ? [shown, upcoming.filter((tile) => !again.has(idOf(tile)))]
          : deal(upcoming, this.#size);
      this.#before = [];
      if (idle) this.#deps.stopwatch.start();
    }
    const between = held ? "loading" : "waiting";
    this.#set({ ...view, page, upcoming, phase: page.every(isDone) ? between : "working" });
  }

  #count(answers: number): void {
    const { mine } = this.#view;
    if (mine) this.#set({ mine: { today: mine.today + answers, total: mine.total + answers } });
  }

  #release(afterSeconds: number): void {
    const { api, projectId, client } = this.#deps;
    api.release(projectId, client, afterSeconds).catch(() => {});
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
      const lease = await api.lease(projectId, 2 * this.#size, client, true);
      if (this.#stopped) return;
      const answered = new Set(unsent.map((answer) => answer.subject.query_id));
      for (const query of this.#answeredSinceLease) answered.add(query);
      this.#merge(lease, answered);
    } catch (error) {
      const phase = this.#view.page.every(isDone) ? "failed" : "working";
      if (!this.#stopped) this.#set({ phase, error: error as Error });
    }
  }

  /** New images go to the end, and those lost in the meantime go away. */
  #merge(lease: Lease, answered: ReadonlySet<number>): void {
    const open = tilesOf(lease).filter((tile) => !answered.has(idOf(tile)));
    const mine = new Set(open.map(idOf));
    // A verdict that is being stored right now is on its image in a moment.
    const holds = (tile: Tile) =>
      tile.given !== null || mine.has(idOf(tile)) || this.#answeredSinceLease.has(idOf(tile));
    const page = this.#view.page.filter(holds);
    const upcoming = this.#view.upcoming.filter(holds);
    const known = new Set([...page, ...upcoming].map(idOf));
    this.#expiresAt = lease.expires_at ? Date.parse(lease.expires_at) : 0;
    const added = open.filter((tile) => !known.has(idOf(tile)));
    const change = { page, upcoming: [...upcoming, ...added], status: lease.status, error: null };
    // Images whose answers are still on the way: nothing to show, but nothing to wait for either.
    this.#turn(change, lease.items.length > 0);
  }

  /** Ask again later: for new images while there are none, for renewal while there are some. */
  #schedule(): void {
    clearTimeout(this.#timer);
    if (this.#stopped) return;
    const { error, phase } = this.#view;
    // What is forbidden or gone stays so; a session can be renewed, and a conflict can pass.
    if (error instanceof ApiError && [403, 404].includes(error.status)) return;
    if (phase === "working" && !error) {
      const left = Math.max(this.#expiresAt - RENEW_MS - this.#deps.now(), 15_000);
      this.#timer = setTimeout(() => {
        if (this.#deps.stopwatch.attentive) this.wake();
        else this.#schedule();
      }, left);
    } else {
      const idle = this.#deps.isHidden() ? POLL_HIDDEN_MS : POLL_MS;
      const delay = phase === "loading" ? CATCH_UP_MS : idle;
      this.#timer = setTimeout(this.wake, delay * (0.8 + Math.random() * 0.4));
    }
  }

  /** What is left of earlier visits: undo reaches back to it, and my counts go on from there. */
  async #restore(): Promise<void> {
    const { api, sender, projectId } = this.#deps;
    try {
      const unsent = await sender.answersOf(projectId);
      const [recent, status] = await Promise.all([
        api.recent(projectId, RECENT),
        api.status(projectId),
      ]);
      const { history, page } = this.#view;
      const present = new Set([...history.flat(), ...page].map(idOf));
      const earlier = without(earlierBatches(recent, unsent), present);
      const uncounted = unsent.filter((answer) => !answer.supersedes).length;
      this.#set({
        history: [...earlier, ...history].slice(-HISTORY),
        mine: status.mine && {
          today: status.mine.today + uncounted,
          total: status.mine.total + uncounted,
        },
      });
    } catch {
      // Undo then reaches back to the start of this visit only, and there are no counts.
    }
  }

  get #storageKey(): string {
    return `karat:grid:${this.#deps.userId}:${this.#deps.projectId}`;
  }

  #set(change: Partial<GridView>): void {
    this.#view = { ...this.#view, ...change };
    if (change.page && change.page.length > 0)
      sessionStorage.setItem(this.#storageKey, JSON.stringify(change.page.map(idOf)));
    for (const listener of this.#listeners) listener();
  }
}
