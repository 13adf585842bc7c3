import type { LabelClass } from "../../api/types";
import { chanceOf100 } from "../../ui/format";
import type { EditorView } from "./editor";
import { overlap, type Rect, rectToScreen, type Size, type View } from "./geometry";
import { FLAGS, type Proposal } from "./model";
import { type Named, names } from "./names";

/** Beyond so many boxes in view each is a plain frame, without a shade behind it and a name. */
const FEW = 400;
const NAMED = 80;
const LINE = 2;
const SHADE = "rgb(0 0 0 / 55%)";
const DOT = 4;

export type Picture = {
  view: View;
  frame: Size;
  editor: EditorView;
  proposals: readonly Proposal[];
  classes: readonly LabelClass[];
  /** What is drawn elsewhere: the chosen box or proposal. */
  apart: { id: number | null; index: number | null };
  hovered: string | null;
};

type Item = Named & { fill: number };

/** Draws all boxes but the chosen one. The context is scaled to pixels of the page. */
export function paint(context: CanvasRenderingContext2D, picture: Picture, ratio: number): void {
  const { frame, editor } = picture;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, frame.width, frame.height);
  if (editor.hidden) return;
  const items = itemsOf(picture, { x: 0, y: 0, w: frame.width, h: frame.height });
  if (items.length > FEW) {
    frames(context, items);
  } else {
    context.fillStyle = SHADE;
    for (const { rect } of items) frameOf(context, rect, LINE + 1, -0.5);
    frames(context, items, true);
  }
  if (items.length <= NAMED) names(context, items, frame);
  dots(context, picture);
}

/** Whether two pictures show the same, but for where the image lies. */
export const differsInPlace = (one: Picture, other: Picture): boolean =>
  one.view.k === other.view.k &&
  one.frame === other.frame &&
  one.editor === other.editor &&
  one.proposals === other.proposals &&
  one.classes === other.classes &&
  one.hovered === other.hovered;

/**
 * Draws the picture after one that differs only in where the image lies, `moved` so many pixels; false where
 * that cannot be done. With thousands of boxes it takes a tenth of the time: all that was in view
 * before is pushed along, and drawn is what comes in at the edges.
 */
export function push(
  context: CanvasRenderingContext2D,
  picture: Picture,
  moved: { x: number; y: number },
  ratio: number,
): boolean {
  const { width: w, height: h } = picture.frame;
  // Differences of floats are never quite whole.
  const by = { x: Math.round(moved.x * ratio) / ratio, y: Math.round(moved.y * ratio) / ratio };
  const isWhole = Math.abs(by.x - moved.x) + Math.abs(by.y - moved.y) < 1e-6;
  const isNear = Math.abs(by.x) < w / 3 && Math.abs(by.y) < h / 3;
  if (!isWhole || !isNear || picture.editor.hidden) return false;
  if (itemsOf(picture, { x: 0, y: 0, w, h }, FEW + 1).length <= FEW) return false;
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.globalCompositeOperation = "copy";
  context.drawImage(context.canvas, by.x * ratio, by.y * ratio);
  context.globalCompositeOperation = "source-over";
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  for (const strip of stripsOf(by, w, h)) {
    context.save();
    context.beginPath();
    context.rect(strip.x, strip.y, strip.w, strip.h);
    context.clip();
    context.clearRect(strip.x, strip.y, strip.w, strip.h);
    frames(context, itemsOf(picture, strip));
    dots(context, picture);
    context.restore();
  }
  return true;
}

/** What comes into view at the sides, with the lines that end there. */
function stripsOf(by: { x: number; y: number }, w: number, h: number): Rect[] {
  const [across, down] = [Math.abs(by.x) + LINE, Math.abs(by.y) + LINE];
  const strips: Rect[] = [];
  if (by.x !== 0) strips.push({ x: by.x > 0 ? 0 : w - across, y: 0, w: across, h });
  if (by.y !== 0) strips.push({ x: 0, y: by.y > 0 ? 0 : h - down, w, h: down });
  return strips;
}

/** What is seen in a part of the frame, `most` of it at most. */
function itemsOf(picture: Picture, part: Rect, most = Number.POSITIVE_INFINITY): Item[] {
  const { view, editor, proposals, classes, apart, hovered } = picture;
  const of = new Map(classes.map((one) => [one.id, one]));
  const items: Item[] = [];
  const { k } = view;
  const [x, y] = [(part.x - LINE - view.x) / k, (part.y - LINE - view.y) / k];
  const seen = { x, y, w: (part.w + 2 * LINE) / k, h: (part.h + 2 * LINE) / k };
  const isChosen = apart.id !== null || apart.index !== null;
  for (const box of editor.doc.boxes) {
    if (items.length >= most) return items;
    const one = overlap(box, seen) && box.id !== apart.id && of.get(box.class_id);
    if (!one) continue;
    const isHovered = hovered === `b${box.id}`;
    items.push({
      rect: rectToScreen(box, view),
      colour: one.colour,
      name: FLAGS.some((flag) => box[flag]) ? `${one.name} •` : one.name,
      dashed: false,
      hovered: isHovered,
      fill: isHovered ? 0.22 : 0.06,
    });
  }
  for (const index of editor.open) {
    const box = proposals[index];
    const one = box && index !== apart.index && overlap(box, seen) && of.get(box.class_id);
    if (!one) continue;
    const isHovered = hovered === `p${index}`;
    items.push({
      rect: rectToScreen(box, view),
      colour: one.colour,
      name: suggestedName(one.name, box),
      dashed: true,
      hovered: isHovered,
      // Where suggestions lie upon each other, the chosen one alone is shaded.
      fill: isHovered ? 0.22 : isChosen ? 0 : 0.06,
    });
  }
  return items;
}

/** What a suggestion is called: with how sure the model is, where it is one of a model. */
export const suggestedName = (name: string, { score, said }: Proposal): string =>
  said ? name : `${name} ${chanceOf100(score)} %`;

function frames(context: CanvasRenderingContext2D, items: readonly Item[], filled = false): void {
  for (const [colour, group] of byColour(items)) {
    context.fillStyle = colour;
    for (const item of group) {
      if (item.dashed) dashed(context, item);
      else frameOf(context, item.rect, filled ? LINE : 1, 0);
    }
    if (filled) fill(context, group);
  }
}

function byColour(items: readonly Item[]): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const group = groups.get(item.colour);
    if (group) group.push(item);
    else groups.set(item.colour, [item]);
  }
  return groups;
}

/** Four bars on whole pixels: sharp, and much faster than a stroked path. */
function frameOf(
  context: CanvasRenderingContext2D,
  { x, y, w, h }: Rect,
  line: number,
  out: number,
): void {
  const [left, top] = [Math.round(x) + out - 1, Math.round(y) + out - 1];
  const [right, bottom] = [Math.round(x + w) - out + 1, Math.round(y + h) - out + 1];
  const [width, height] = [Math.max(line, right - left), Math.max(line, bottom - top)];
  context.fillRect(left, top, width, line);
  context.fillRect(left, top + height - line, width, line);
  context.fillRect(left, top + line, line, Math.max(0, height - 2 * line));
  context.fillRect(left + width - line, top + line, line, Math.max(0, height - 2 * line));
}

function dashed(context: CanvasRenderingContext2D, { rect, colour }: Item): void {
  context.save();
  context.strokeStyle = colour;
  context.lineWidth = LINE;
  context.setLineDash([6, 4]);
  context.strokeRect(
    Math.round(rect.x),
    Math.round(rect.y),
    Math.round(rect.w),
    Math.round(rect.h),
  );
  context.restore();
}

function fill(context: CanvasRenderingContext2D, group: readonly Item[]): void {
  for (const { rect, fill: alpha } of group) {
    context.globalAlpha = alpha;
    context.fillRect(rect.x, rect.y, rect.w, rect.h);
  }
  context.globalAlpha = 1;
}

/** Where proposals below the slider are: what the model half saw is worth a look. */
function dots(context: CanvasRenderingContext2D, picture: Picture): void {
  const { view, editor, proposals, classes } = picture;
  for (const index of editor.below) {
    const one = proposals[index];
    const colour = classes.find(({ id }) => id === one?.class_id)?.colour;
    if (!one || !colour) continue;
    const { x, y, w, h } = rectToScreen(one, view);
    context.beginPath();
    context.arc(x + w / 2, y + h / 2, DOT, 0, 2 * Math.PI);
    context.fillStyle = SHADE;
    context.fill();
    context.beginPath();
    context.arc(x + w / 2, y + h / 2, DOT - 1, 0, 2 * Math.PI);
    context.fillStyle = colour;
    context.fill();
  }
}
