import { choose, draw, place } from "./commands";
import type { BoxEditor } from "./editor";
import { chosenOfKey, keyOfChosen, placesOf } from "./edits";
import {
  between,
  contains,
  type Handle,
  moved,
  type Point,
  pulled,
  type Rect,
  rectToScreen,
  snapped,
  toImage,
} from "./geometry";
import { gripOf } from "./grip";
import { chosenBy, handleAt, REACH, type Reach, under } from "./hit";
import type { Scene } from "./scene";

/** So near to the image's edge a side is laid upon it, in pixels of the screen. */
const SNAP = 4;
/** A press that moves less is a click. */
const STILL = { mouse: 3, touch: 8 } as const;

/** What a pointer that is down does. */
type Drag =
  | { kind: "draw" }
  | { kind: "pull"; handle: Handle; from: Rect }
  | { kind: "move"; from: Rect }
  | { kind: "pan" };

type Held = { drag: Drag; start: Point; last: Point; reach: Reach; isMoving: boolean };

export type Down = { id: number; at: Point; reach: Reach; pans: boolean };

/** Turns what pointers do into boxes. Knows pixels of the frame, and no events. */
export class Gestures {
  readonly #editor: BoxEditor;
  readonly #scene: Scene;
  readonly #fingers = new Map<number, Point>();
  #held: Held | null = null;

  constructor(editor: BoxEditor, scene: Scene) {
    this.#editor = editor;
    this.#scene = scene;
  }

  get isBusy(): boolean {
    return this.#held?.isMoving === true && this.#held.drag.kind !== "pan";
  }

  down({ id, at, reach, pans }: Down): void {
    this.#fingers.set(id, at);
    // Two fingers move and enlarge the image; what one of them began is dropped.
    if (this.#fingers.size > 1) {
      this.cancel();
      return;
    }
    const drag: Drag = pans ? { kind: "pan" } : this.#dragAt(at, reach);
    this.#held = { drag, start: at, last: at, reach, isMoving: pans };
  }

  move(id: number, at: Point, isFree: boolean): void {
    const before = this.#fingers.get(id);
    if (!before) return;
    this.#fingers.set(id, at);
    const other = [...this.#fingers].find(([one]) => one !== id)?.[1];
    if (other) {
      this.#pinch(before, at, other);
      return;
    }
    const held = this.#held;
    if (!held) return;
    const away = Math.hypot(at.x - held.start.x, at.y - held.start.y);
    if (!held.isMoving && away < STILL[held.reach]) return;
    held.isMoving = true;
    if (held.drag.kind === "pan") this.#scene.pan(minus(at, held.last));
    else this.#scene.live = this.#liveOf(held, at, isFree);
    held.last = at;
    this.#scene.invalidate();
  }

  up(id: number, isFree: boolean): void {
    const at = this.#fingers.get(id);
    this.#fingers.delete(id);
    const held = this.#held;
    if (!held || !at) return;
    if (held.isMoving) this.#scene.live = this.#liveOf(held, at, isFree);
    this.#end();
    if (!held.isMoving) this.#click(at, held.reach);
  }

  /** Something else is done to the boxes: what was dragged is where it is now, and lies still from then on. */
  finish(): void {
    if (this.isBusy || (this.#held && "from" in this.#held.drag)) this.#end();
  }

  #end(): void {
    const { live } = this.#scene;
    this.cancel();
    if (live?.kind === "new") draw(this.#editor, live.rect);
    else if (live) place(this.#editor, live.rect);
  }

  cancel(): void {
    this.#held = null;
    this.#scene.live = null;
    this.#scene.invalidate();
  }

  /** What a press here would take hold of. */
  handleAt(at: Point, reach: Reach): Handle | "move" | null {
    const rect = this.#editor.chosenBox ?? this.#editor.chosenProposal;
    if (!rect) return null;
    const { view } = this.#scene;
    const grip = gripOf(rectToScreen(rect, view), this.#scene.frame);
    if (grip && Math.hypot(at.x - grip.x, at.y - grip.y) <= Math.max(12, REACH[reach] * 0.7)) {
      return "move";
    }
    return handleAt(at, rect, view, REACH[reach]);
  }

  /** What a click here would choose. */
  under(at: Point, reach: Reach) {
    const { doc, open } = this.#editor.getView();
    const { view } = this.#scene;
    const places = placesOf(doc, this.#editor.proposals, open);
    return under(toImage(at, view), places, (reach === "touch" ? 8 : 2) / view.k);
  }

  #dragAt(at: Point, reach: Reach): Drag {
    const { armed, chosen } = this.#editor.getView();
    const rect = this.#editor.chosenBox ?? this.#editor.chosenProposal;
    const handle = this.handleAt(at, reach);
    if (rect && handle === "move") return { kind: "move", from: rect };
    if (rect && handle && handle !== "move") return { kind: "pull", handle, from: rect };
    // With a class in hand every drag draws, whatever lies below.
    if (armed !== null) return { kind: "draw" };
    if (rect && contains(rect, toImage(at, this.#scene.view))) return { kind: "move", from: rect };
    const found = chosenBy(this.under(at, reach), keyOfChosen(chosen));
    if (!found) return { kind: "pan" };
    choose(this.#editor, chosenOfKey(found.key));
    return { kind: "move", from: found.rect };
  }

  #liveOf({ drag, start }: Held, at: Point, isFree: boolean): Scene["live"] {
    const { view, image } = this.#scene;
    const by = { x: (at.x - start.x) / view.k, y: (at.y - start.y) / view.k };
    const near = isFree ? 0 : SNAP / view.k;
    if (drag.kind === "draw") {
      const rect = between(toImage(start, view), toImage(at, view));
      return { kind: "new", rect: snapped(rect, image, near) };
    }
    if (drag.kind === "pull") {
      const rect = pulled(drag.from, drag.handle, by);
      return { kind: "chosen", rect: snapped(rect, image, near) };
    }
    return drag.kind === "move" ? { kind: "chosen", rect: moved(drag.from, by) } : null;
  }

  #click(at: Point, reach: Reach): void {
    const { chosen } = this.#editor.getView();
    const found = chosenBy(this.under(at, reach), keyOfChosen(chosen));
    choose(this.#editor, found && chosenOfKey(found.key));
  }

  #pinch(before: Point, now: Point, other: Point): void {
    const apart = (point: Point) => Math.max(1, Math.hypot(point.x - other.x, point.y - other.y));
    const middle = { x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 };
    const was = { x: (before.x + other.x) / 2, y: (before.y + other.y) / 2 };
    this.#scene.zoom(apart(now) / apart(before), middle);
    this.#scene.pan(minus(middle, was));
  }
}

const minus = (a: Point, b: Point): Point => ({ x: a.x - b.x, y: a.y - b.y });
