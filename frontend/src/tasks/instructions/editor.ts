import { Listeners } from "../../lib/listeners";
import type { Choice } from "../choice";
import { LABELED } from "../choice";
import { keepDraft, readDraft } from "../drafts";
import { type History, leftOf, nextOf, redone, resumed, takenBack, took, undone } from "../history";
import { type Member, rankingOf } from "./model";
import * as ranking from "./ranking";
import { NOTHING, type Ranking, type Target } from "./ranking";

/** What there is to tell of the last step. */
export type Notice = { say: "nothing" | "no_tie" | "before" } | { say: "open"; count: number };

export type RankingView = {
  ranking: Ranking;
  /** What nothing is said of yet, in the order of the page. */
  open: readonly number[];
  /** Whether the next number marks an example as wrong. */
  blaming: boolean;
  /** Examples that are shown in full although they are long. */
  unfolded: ReadonlySet<number>;
  notice: Notice | null;
  canUndo: boolean;
  canRedo: boolean;
};

export type RankingStart = {
  queryId: number;
  /** Under what name that is kept which is not sent. */
  draft: string;
  /** In the order in which the page shows them. */
  members: readonly Member[];
  /** What was said before, when they are revisited. */
  given: Choice | null;
  send: (choice: Choice) => void;
};

type Own = Pick<RankingView, "blaming" | "unfolded" | "notice">;

/** The order of a few examples, while somebody works on it. Stage, panel and keys see the same. */
export class RankingEditor {
  readonly kind = "instructions";
  readonly queryId: number;
  readonly members: readonly Member[];
  readonly ids: readonly number[];
  readonly given: Choice | null;
  /** Whether somebody was told that some are open. */
  #warned = false;
  readonly #draft: string;
  readonly #send: (choice: Choice) => void;
  readonly #listeners = new Listeners();
  readonly #initial: Ranking;
  #history: History<Ranking>;
  #view: RankingView;

  constructor({ queryId, draft, members, given, send }: RankingStart) {
    this.queryId = queryId;
    this.members = members;
    this.ids = members.map(({ example_id }) => example_id);
    this.given = given;
    this.#draft = draft;
    this.#send = send;
    const label = rankingOf(given?.label);
    this.#initial = label ? ranking.rankingFrom(label, this.ids) : NOTHING;
    const of = (made: Ranking | null) => made && ranking.rankingFrom(made, this.ids);
    const { made, left } = readDraft<Ranking>(draft);
    this.#history = resumed(this.#initial, of(made), of(left));
    const notice = leftOf(this.#history) && ({ say: "before" } as const);
    this.#view = this.#derived({ blaming: false, unfolded: new Set(), notice });
  }

  readonly subscribe = this.#listeners.subscribe;

  readonly getView = (): RankingView => this.#view;

  /** Whether anything differs from what the page came with. */
  get isChanged(): boolean {
    return !ranking.isSame(this.#history.present, this.#initial);
  }

  /** The next in the order of preference, or wrong if that is what numbers mean now. */
  press(id: number): void {
    if (this.#view.blaming) this.blame(id);
    else this.#take(ranking.pressed(this.#now, id));
  }

  /** What the key of a place means; false where there is no example. */
  pressPlace(index: number): boolean {
    const id = this.ids[index];
    if (id === undefined) return false;
    this.press(id);
    return true;
  }

  blame(id: number): void {
    this.#take(ranking.blamed(this.#now, id));
  }

  toggleBlaming(): void {
    this.#set({ blaming: !this.#view.blaming, notice: null });
  }

  tie(): void {
    const next = ranking.tied(this.#now);
    if (next) this.#take(next);
    else this.#set({ notice: { say: "no_tie" } });
  }

  move(id: number, to: Target): void {
    this.#take(ranking.moved(this.#now, id, to));
  }

  step(id: number, by: -1 | 1): void {
    this.#take(ranking.stepped(this.#now, id, by));
  }

  /** The one that was placed last is open again. */
  takeBackLast(): boolean {
    const last = ranking.lastOf(this.#now);
    if (last === null) return false;
    this.move(last, "open");
    return true;
  }

  fold(id: number): void {
    const unfolded = new Set(this.#view.unfolded);
    if (!unfolded.delete(id)) unfolded.add(id);
    this.#set({ unfolded });
  }

  foldPlace(index: number): boolean {
    const id = this.ids[index];
    if (id === undefined) return false;
    this.fold(id);
    return true;
  }

  foldAll(): void {
    const all = this.#view.unfolded.size < this.ids.length;
    this.#set({ unfolded: new Set(all ? this.ids : []) });
  }

  undo(): void {
    this.#go(undone(this.#history));
  }

  redo(): void {
    this.#go(redone(this.#history));
  }

  /** Nothing else is meant by the next number. Returns whether anything was. */
  escape(): boolean {
    const { blaming } = this.#view;
    if (blaming) this.#set({ blaming: false });
    return blaming;
  }

  /**
   * Send the order. Where more than one example is open the first try only tells, and the second ties them in the
   * last place; a single one is the last in any case.
   */
  submit(): void {
    const { open } = this.#view;
    const isEmpty = open.length === this.ids.length;
    if (isEmpty) this.#set({ notice: { say: "nothing" } });
    else if (open.length > 1 && !this.#warned) {
      this.#warned = true;
      this.#set({ notice: { say: "open", count: open.length } });
    } else {
      const label = ranking.labelOf(ranking.completed(this.#now, this.ids));
      this.#send({ verdict: LABELED, classId: null, label });
    }
  }

  /** A verdict of any kind has been taken: what was ranked and is not said by it is one step away. */
  settled(said: Choice["label"] = null): void {
    const left = ranking.isSame(this.#now, NOTHING) ? takenBack(this.#history) : this.#now;
    keepDraft(this.#draft, { made: null, left: said ? null : left });
  }

  get #now(): Ranking {
    return this.#history.present;
  }

  #take(next: Ranking): void {
    this.#warned = false;
    this.#history = took(this.#history, next);
    this.#set({ blaming: false, notice: null });
    this.#keep();
  }

  #go(history: History<Ranking> | null): void {
    if (!history) return;
    this.#warned = false;
    this.#history = history;
    this.#set({ blaming: false, notice: null });
    this.#keep();
  }

  #keep(): void {
    const made = this.isChanged ? this.#now : null;
    keepDraft(this.#draft, { made, left: leftOf(this.#history) });
  }

  #set(change: Partial<Own>): void {
    this.#view = this.#derived({ ...this.#view, ...change });
    this.#listeners.tell();
  }

  #derived({ blaming, unfolded, notice }: Own): RankingView {
    const { past, present } = this.#history;
    return {
      ranking: present,
      open: ranking.openOf(present, this.ids),
      ...{ blaming, unfolded, notice },
      canUndo: past.length > 0,
      canRedo: nextOf(this.#history) !== null,
    };
  }
}
