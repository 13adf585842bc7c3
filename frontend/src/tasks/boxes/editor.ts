import { Listeners } from "../../lib/listeners";
import type { Choice } from "../choice";
import { keepDraft, readDraft } from "../drafts";
import { type History, leftOf, nextOf, redone, resumed, takenBack, took, undone } from "../history";
import * as edits from "./edits";
import { boxIn } from "./edits";
import type { Size } from "./geometry";
import { LEAST_DOT, type Memory } from "./memory";
import {
  type BoxesLabel,
  boxesOf,
  type Chosen,
  type Doc,
  type Drawn,
  type Made,
  type Notice,
  type Proposal,
  thresholdOf,
} from "./model";

export type EditorView = {
  doc: Doc;
  chosen: Chosen | null;
  /** Whether the chosen box was just drawn: a class is then for the next one. */
  fresh: boolean;
  /** The class that the next box is drawn of; null: nothing is drawn, boxes are chosen and moved. */
  armed: number | null;
  threshold: number;
  /** Boxes are out of the way while a key is held down. */
  hidden: boolean;
  crosshair: boolean;
  asksAttributes: boolean;
  notice: Notice | null;
  /** Proposals that nobody has decided on: above the slider, and below it. */
  open: readonly number[];
  below: readonly number[];
  canUndo: boolean;
  canRedo: boolean;
};

export type EditorStart = {
  queryId: number;
  /** Under what name that is kept which is not sent. */
  draft: string;
  image: Size;
  classes: readonly { id: number }[];
  proposals: readonly Proposal[];
  proposedBy?: string | null;
  /** What was said before, when the image is revisited. */
  given: Choice | null;
  memory: Memory;
  /** What was said before is what others say as well, and not the user's own. */
  inReview?: boolean;
  send: (choice: Choice) => void;
};

type Own = Omit<EditorView, "doc" | "open" | "below" | "canUndo" | "canRedo">;

const SAVE_MS = 400;

/** The boxes of one image, while somebody works on them. Stage, panel and keys see the same. */
export class BoxEditor {
  readonly kind = "boxes";
  readonly image: Size;
  readonly proposals: readonly Proposal[];
  readonly proposedBy: string | null;
  readonly queryId: number;
  readonly given: Choice | null;
  readonly memory: Memory;
  classIds: ReadonlySet<number>;
  /** Whether somebody was told that proposals are undecided. */
  warned = false;
  readonly #start: EditorStart;
  readonly #listeners = new Listeners();
  readonly #initial: Doc;
  #history: History<Doc>;
  #view: EditorView;
  #saving: ReturnType<typeof setTimeout> | undefined;

  constructor(start: EditorStart) {
    const { queryId, draft, image, classes, proposals, given, memory } = start;
    this.proposedBy = start.proposedBy ?? null;
    this.#start = start;
    this.image = image;
    this.proposals = proposals;
    this.queryId = queryId;
    this.given = given;
    this.memory = memory;
    this.classIds = new Set(classes.map(({ id }) => id));
    const boxes = boxesOf(given?.label) ?? [];
    const threshold = thresholdOf(given?.label);
    const label: BoxesLabel = { type: "boxes", boxes, threshold };
    this.#initial = edits.docFrom(label, proposals);
    const of = (made: Made | null) => made && edits.docFrom(made, proposals);
    const { made, left } = readDraft<Made>(draft);
    this.#history = resumed(this.#initial, of(made), of(left));
    memory.armed ??= classes[0]?.id ?? null;
    this.#view = this.#derived({
      ...{ chosen: null, fresh: false, hidden: false, asksAttributes: false },
      ...{ notice: this.#firstNotice(), armed: this.lastArmed },
      ...{ threshold: threshold ?? memory.threshold, crosshair: memory.crosshair },
    });
  }

  readonly subscribe = this.#listeners.subscribe;

  readonly getView = (): EditorView => this.#view;

  /** Whether anything was done since the page came here. */
  get isChanged(): boolean {
    return this.#history.present !== this.#initial;
  }

  get chosenBox(): Drawn | null {
    const { chosen, doc } = this.#view;
    return chosen?.kind === "box" ? (boxIn(doc, chosen.id) ?? null) : null;
  }

  get chosenProposal(): Proposal | null {
    const { chosen } = this.#view;
    return chosen?.kind === "proposal" ? (this.proposals[chosen.index] ?? null) : null;
  }

  /** The class that was in hand last; null if that is gone. */
  get lastArmed(): number | null {
    const { armed } = this.memory;
    return armed !== null && this.classIds.has(armed) ? armed : null;
  }

  /** The lowest score that was in view; what came without proposals was said with them before. */
  get shownFrom(): number | null {
    return this.proposals.length > 0 ? this.#view.threshold : thresholdOf(this.given?.label);
  }

  /** The classes have changed while somebody was at work. */
  setClasses(classes: readonly { id: number }[]): void {
    const ids = new Set(classes.map(({ id }) => id));
    if (ids.size === this.classIds.size && [...ids].every((id) => this.classIds.has(id))) return;
    const { armed, doc, notice } = this.#view;
    const chosen = this.chosenBox ?? this.chosenProposal;
    this.classIds = ids;
    const count = this.#withoutClass(doc);
    const isInHand = armed === null || ids.has(armed);
    this.set({
      armed: isInHand ? armed : null,
      notice: count > 0 || !isInHand ? { say: "removed", count } : notice,
      ...(chosen && !ids.has(chosen.class_id) && { chosen: null }),
    });
  }

  /** One step, which can be taken back; see `History` for `run`. */
  take(doc: Doc, change: Partial<Own> = {}, run: string | null = null): void {
    const isStep = doc !== this.#history.present;
    this.#history = took(this.#history, doc, run);
    if (isStep) this.warned = false;
    this.set({ notice: null, fresh: false, ...change });
    if (isStep) this.#soonSaved();
  }

  undo(): boolean {
    return this.#go(undone(this.#history));
  }

  redo(): boolean {
    return this.#go(redone(this.#history));
  }

  set(change: Partial<Own>): void {
    this.#view = this.#derived({ ...this.#view, ...change });
    this.#listeners.tell();
  }

  /** Do nothing, and tell why. */
  refuse(notice: Notice): null {
    this.set({ notice });
    return null;
  }

  /** Send the boxes. */
  say(choice: Choice): void {
    this.#start.send(choice);
  }

  /** A verdict of any kind has been taken: what was drawn and is not said by it is one step away, if it is kept. */
  settled(said: Choice["label"] = null, isKept = !said): void {
    clearTimeout(this.#saving);
    this.#saving = undefined;
    const { present } = this.#history;
    const stands = present.boxes.length > 0 && (this.isChanged || !this.#start.inReview);
    const left = stands ? present : takenBack(this.#history);
    keepDraft(this.#start.draft, { made: null, left: isKept ? left : null });
  }

  /** The page goes elsewhere: keep what is not sent. */
  close(): void {
    if (this.#saving !== undefined) this.#save();
  }

  #firstNotice(): Notice | null {
    const { present } = this.#history;
    const count = this.#withoutClass(present);
    if (count > 0) return { say: "removed", count };
    const left = leftOf(this.#history)?.boxes.length;
    if (left) return { say: "before", count: left };
    return this.lastArmed === null ? { say: "no_class" } : null;
  }

  /** How many boxes are of no class that there is. */
  #withoutClass({ boxes }: Doc): number {
    return boxes.filter(({ class_id }) => !this.classIds.has(class_id)).length;
  }

  #go(history: History<Doc> | null): boolean {
    if (!history) return false;
    this.#history = history;
    const { chosen } = this.#view;
    const stays = chosen?.kind === "box" && boxIn(history.present, chosen.id);
    this.set({ ...(!stays && { chosen: null }), notice: null, fresh: false });
    this.#soonSaved();
    return true;
  }

  #soonSaved(): void {
    this.#saving ??= setTimeout(() => this.#save(), SAVE_MS);
  }

  #save(): void {
    clearTimeout(this.#saving);
    this.#saving = undefined;
    const made = this.isChanged ? this.#history.present : null;
    keepDraft(this.#start.draft, { made, left: leftOf(this.#history) });
  }

  #derived(view: Own): EditorView {
    const { past, present } = this.#history;
    const doc = edits.ofClasses(present, this.classIds);
    const open = edits.openProposals(doc, this.proposals, this.classIds);
    const scoreOf = (index: number) => this.proposals[index]?.score ?? 0;
    const isAbove = (index: number) => scoreOf(index) >= view.threshold;
    return {
      ...view,
      doc,
      open: open.filter(isAbove),
      below: open.filter((index) => !isAbove(index) && scoreOf(index) >= LEAST_DOT),
      canUndo: past.length > 0,
      canRedo: nextOf(this.#history) !== null,
    };
  }
}
