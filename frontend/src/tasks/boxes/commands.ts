import type { BoxEditor } from "./editor";
import * as edits from "./edits";
import { keyOfChosen } from "./edits";
import { type Doubt, doubtOf, moved, type Point, type Rect } from "./geometry";
import { inReadingOrder, nextOf } from "./hit";
import { type Attributes, boxOf, type Chosen, type Drawn, type Flag, type Notice } from "./model";
import { keep, nextOpen } from "./suggestions";

export const choose = (editor: BoxEditor, chosen: Chosen | null): void =>
  editor.set({ chosen, notice: null, fresh: false, asksAttributes: false });

/** Draw boxes of a class from now on; null: draw none. What was chosen becomes one of that class. */
export function arm(editor: BoxEditor, classId: number | null): void {
  editor.memory.armed = classId ?? editor.memory.armed;
  const { chosen, fresh } = editor.getView();
  editor.set({ armed: classId, notice: null });
  if (classId === null || chosen === null || fresh) return;
  if (chosen.kind === "proposal") keep(editor);
  const box = editor.chosenBox;
  if (box) editor.take(edits.changed(editor.getView().doc, box.id, { class_id: classId }));
}

/** Between drawing and choosing. */
export function toggleTool(editor: BoxEditor): void {
  const isDrawing = editor.getView().armed !== null;
  const armed = isDrawing ? null : editor.lastArmed;
  editor.set({ armed, notice: isDrawing || armed !== null ? null : { say: "no_class" } });
}

/** A new box of the armed class. Null where it is none. */
export function draw(editor: BoxEditor, rect: Rect): Drawn | null {
  const { armed, doc } = editor.getView();
  if (armed === null) return editor.refuse({ say: "no_class" });
  const doubt = doubtOf(rect, editor.image);
  if (doubt === "too_small" || doubt === "outside") return editor.refuse({ say: doubt });
  const [next, [box]] = edits.added(doc, [boxOf(rect, armed)]);
  if (!box) return null;
  const notice = noticeOf(doubt, rect);
  editor.take(next, { chosen: { kind: "box", id: box.id }, notice, fresh: true });
  return box;
}

/** Lay the chosen box, or the proposal that becomes one, elsewhere. */
export function place(editor: BoxEditor, rect: Rect, run: string | null = null): void {
  const doubt = doubtOf(rect, editor.image);
  if (doubt === "too_small" || doubt === "outside") {
    editor.refuse({ say: doubt });
    return;
  }
  const { chosen, fresh } = editor.getView();
  let { doc } = editor.getView();
  let id = chosen?.kind === "box" ? chosen.id : null;
  if (chosen?.kind === "proposal") {
    const [kept, [box]] = edits.keeping(doc, editor.proposals, [chosen.index]);
    doc = kept;
    id = box?.id ?? null;
  }
  if (id === null) return;
  const change = { chosen: { kind: "box", id } as const, notice: noticeOf(doubt, rect), fresh };
  editor.take(edits.placed(doc, id, rect), change, run && `${run} ${id}`);
}

/** Move the chosen box, or pull its right and lower side, by pixels of the image; see `took` for `run`. */
export function nudge(
  editor: BoxEditor,
  by: Point,
  pulls: boolean,
  run: string | null = null,
): boolean {
  const box = editor.chosenBox ?? editor.chosenProposal;
  if (!box) return false;
  const { x, y, w, h } = box;
  const rect = pulls
    ? { x, y, w: Math.max(1, w + by.x), h: Math.max(1, h + by.y) }
    : moved({ x, y, w, h }, by);
  place(editor, rect, run);
  return true;
}

export function toggleFlag(editor: BoxEditor, flag: Flag): boolean {
  if (editor.chosenProposal) keep(editor);
  const box = editor.chosenBox;
  if (!box) return false;
  editor.take(edits.changed(editor.getView().doc, box.id, { [flag]: !box[flag] }));
  return true;
}

/** Say something else of the chosen box, or of the proposal that becomes one. */
export function describe(editor: BoxEditor, attributes: Attributes): void {
  if (editor.chosenProposal) keep(editor);
  const box = editor.chosenBox;
  if (!box || isSameSaid(box.attributes ?? {}, attributes)) return;
  editor.take(edits.changed(editor.getView().doc, box.id, { attributes }));
}

/** Open what attributes are changed in, if there is a box to change. */
export function askAttributes(editor: BoxEditor, isAsked: boolean): boolean {
  const has = (editor.chosenBox ?? editor.chosenProposal) !== null;
  if (has || !isAsked) editor.set({ asksAttributes: isAsked });
  return has;
}

const isSameSaid = (one: Attributes, other: Attributes): boolean =>
  Object.keys(one).length === Object.keys(other).length &&
  Object.entries(one).every(([name, value]) => other[name] === value);

/** Remove the chosen box, or say that the proposal is wrong; then on to the next undecided one. */
export function remove(editor: BoxEditor): boolean {
  const { chosen, doc } = editor.getView();
  if (chosen === null) return false;
  if (chosen.kind === "box") editor.take(edits.removed(doc, chosen.id), { chosen: null });
  else {
    const next = nextOpen(editor, chosen.index);
    editor.take(edits.rejecting(doc, chosen.index), { chosen: next });
  }
  return true;
}

/** To the box after or before the chosen one, as they are read. */
export function cycle(editor: BoxEditor, by: 1 | -1): Rect | null {
  const { doc, open, chosen } = editor.getView();
  const places = edits.placesOf(doc, editor.proposals, open);
  const order = inReadingOrder(places, editor.image.height);
  const next = nextOf(order, keyOfChosen(chosen), by);
  if (!next) return null;
  choose(editor, edits.chosenOfKey(next.key));
  return next.rect;
}

export function hide(editor: BoxEditor, hidden: boolean): void {
  if (hidden !== editor.getView().hidden) editor.set({ hidden });
}

export function toggleCrosshair(editor: BoxEditor): void {
  editor.memory.crosshair = !editor.getView().crosshair;
  editor.set({ crosshair: editor.memory.crosshair });
}

const noticeOf = (doubt: Doubt, { w, h }: Rect): Notice | null =>
  doubt === "small" ? { say: "small", w, h } : null;
