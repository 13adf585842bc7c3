import type { BoxEditor } from "./editor";
import * as edits from "./edits";
import { clipped, doubtOf, isWithin, moved, type Point, type Rect } from "./geometry";
import { type Box, boxOf, type Chosen, saidOfBox } from "./model";

export function duplicate(editor: BoxEditor): boolean {
  const box = editor.chosenBox;
  if (!box) return false;
  addAll(editor, [{ ...box, ...moved(box, offset(editor, box)) }], true);
  return true;
}

/** The chosen box; all, if none is. */
export function copy(editor: BoxEditor): boolean {
  const box = editor.chosenBox;
  const copied = box ? [box] : editor.getView().doc.boxes;
  if (copied.length === 0) return false;
  editor.memory.copied = copied.map(({ id: _, ...one }) => one);
  return true;
}

export function paste(editor: BoxEditor): void {
  const { copied } = editor.memory;
  if (copied.length === 0) editor.refuse({ say: "nothing_copied" });
  else addAll(editor, copied, copied.length === 1);
}

/** The boxes of the last image that had any. */
export function repeatLast(editor: BoxEditor): void {
  const { last } = editor.memory;
  if (last.length === 0) editor.refuse({ say: "nothing_copied" });
  else addAll(editor, last, false);
}

/** Cut the chosen box off where the image ends; all, if none is chosen. */
export function clip(editor: BoxEditor): boolean {
  const { doc } = editor.getView();
  const one = editor.chosenBox;
  const wanted = (one ? [one] : doc.boxes).filter((box) => !isWithin(box, editor.image));
  let next = doc;
  for (const box of wanted) {
    const rect = clipped<Rect>(box, editor.image);
    if (rect) next = edits.placed(next, box.id, rect);
  }
  editor.take(next, { notice: { say: "clipped", count: wanted.length } });
  return wanted.length > 0;
}

function addAll(editor: BoxEditor, boxes: readonly Box[], choosesIt: boolean): void {
  const known = boxes.filter(
    (box) => editor.classIds.has(box.class_id) && doubtOf(box, editor.image) !== "outside",
  );
  const notice = { say: "added", count: known.length, left: boxes.length - known.length } as const;
  if (known.length === 0) {
    editor.refuse(notice);
    return;
  }
  const copies = known.map((box) => ({
    ...boxOf(free(editor, box), box.class_id),
    ...flagsOf(box),
    ...saidOfBox(box),
  }));
  const [next, fresh] = edits.added(editor.getView().doc, copies);
  const [first] = fresh;
  const chosen: Chosen | null = choosesIt && first ? { kind: "box", id: first.id } : null;
  editor.take(next, { chosen, notice });
}

/** Where a copy can be told from what lies there already. */
function free(editor: BoxEditor, rect: Rect): Rect {
  const { boxes } = editor.getView().doc;
  const isTaken = ({ x, y }: Rect) =>
    boxes.some((box) => box.x === x && box.y === y && box.w === rect.w && box.h === rect.h);
  const by = offset(editor, rect);
  let place = rect;
  for (let tries = 0; tries < 50 && isTaken(place); tries += 1) place = moved(place, by);
  return place;
}

function offset({ image }: BoxEditor, { w, h }: Rect): Point {
  const by = Math.max(2, Math.round(Math.min(w, h, image.width / 8) / 4));
  return { x: by, y: by };
}

const flagsOf = ({ occluded, truncated, difficult, crowd }: Box) => ({
  occluded,
  truncated,
  difficult,
  crowd,
});
