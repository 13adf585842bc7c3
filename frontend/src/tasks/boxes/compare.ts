import type { Choice } from "../choice";
import type { Rect } from "./geometry";
import { type Box, boxesOf, type Proposal, saidOfBox } from "./model";

/** Boxes that overlap so much are the same to whoever looks. */
const SAME = 0.9;

/** The share of two rectangles that both cover. */
export function iou(a: Rect, b: Rect): number {
  const w = Math.min(a.x + a.w, b.x + b.w) - Math.max(a.x, b.x);
  const h = Math.min(a.y + a.h, b.y + b.h) - Math.max(a.y, b.y);
  if (w <= 0 || h <= 0) return 0;
  return (w * h) / (a.w * a.h + b.w * b.h - w * h);
}

/** What another label has besides, to be taken over: boxes that the first one does not have. */
export function againstEachOther(one: unknown, other: unknown): Proposal[] {
  const mine = boxesOf(one) ?? [];
  const isMine = (box: Box) =>
    mine.some((own) => own.class_id === box.class_id && iou(own, box) >= SAME);
  return (boxesOf(other) ?? [])
    .filter((box) => !isMine(box))
    .map((box) => {
      const { class_id, x, y, w, h } = box;
      return { class_id, x, y, w, h, score: 1, said: true, ...saidOfBox(box) };
    });
}

/** A label without what it tells of proposals, which were another's. */
export function plainly({ label }: Pick<Choice, "label">): Pick<Choice, "label"> {
  if (!label) return {};
  if (label.type !== "boxes") return { label };
  const plain = ({ origin, ...box }: Box): Box => ({
    ...box,
    origin: origin === "imported" ? origin : "drawn",
    proposal: null,
  });
  return { label: { ...label, boxes: label.boxes.map(plain), threshold: null } };
}
