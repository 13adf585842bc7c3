import type { LabelClass } from "../../api/types";
import type { EditorView } from "./editor";
import { type Rect, rectToScreen, type Size, type View } from "./geometry";
import { FLAGS, type Proposal } from "./model";

/** Beyond so many boxes in view each is a plain frame, without a shade behind it and a name. */
const FEW = 400;
const NAMED = 80;
/** Boxes below this width on the screen have no room for a name. */
const ROOM_FOR_NAME = 34;
const LINE = 2;
const SHADE = "rgb(0 0 0 / 55%)";
const FONT = '600 11px "Geist", system-ui, sans-serif';
const NAME_HEIGHT = 16;
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

type Item = { rect: Rect; colour: string; name: string; dashed: boolean; hovered: boolean };

/** Draws all boxes but the chosen one. The context is scaled to pixels of the page. */
export function paint(context: CanvasRenderingContext2D, picture: Picture, ratio: number): void {
  const { frame, editor } = picture;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, frame.width, frame.height);
  if (editor.hidden) return;
  const items = itemsOf(picture);
  const isFew = items.length <= FEW;
  if (isFew) {
    context.fillStyle = SHADE;
    for (const { rect } of items) frameOf(context, rect, LINE + 1, -0.5);
  }
  for (const [colour, group] of byColour(items)) {
    context.fillStyle = colour;
    for (const item of group) {
      if (item.dashed) dashed(context, item);
      else frameOf(context, item.rect, isFew ? LINE : 1, 0);
    }
    if (isFew) fill(context, group);
  }
  if (items.length <= NAMED) for (const item of items) name(context, item);
  dots(context, picture);
}

function itemsOf({ view, frame, editor, proposals, classes, apart, hovered }: Picture): Item[] {
  const of = new Map(classes.map((one) => [one.id, one]));
  const items: Item[] = [];
  const add = (rect: Rect, classId: number, key: string, score?: number, flags = "") => {
    const screen = rectToScreen(rect, view);
    const isSeen =
      screen.x < frame.width &&
      screen.y < frame.height &&
      screen.x + screen.w > 0 &&
      screen.y + screen.h > 0;
    const one = of.get(classId);
    if (!isSeen || !one) return;
    const label = score === undefined ? one.name : `${one.name} ${Math.round(100 * score)}`;
    items.push({
      rect: screen,
      colour: one.colour,
      name: label + flags,
      dashed: score !== undefined,
      hovered: key === hovered,
    });
  };
  for (const box of editor.doc.boxes) {
    if (box.id === apart.id) continue;
    const flags = FLAGS.some((flag) => box[flag]) ? " •" : "";
    add(box, box.class_id, `b${box.id}`, undefined, flags);
  }
  for (const index of editor.open) {
    const one = proposals[index];
    if (one && index !== apart.index) add(one, one.class_id, `p${index}`, one.score);
  }
  return items;
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
  for (const { rect, hovered } of group) {
    context.globalAlpha = hovered ? 0.22 : 0.06;
    context.fillRect(rect.x, rect.y, rect.w, rect.h);
  }
  context.globalAlpha = 1;
}

function name(context: CanvasRenderingContext2D, item: Item): void {
  const { rect, colour, dashed: isOpen } = item;
  if (rect.w < ROOM_FOR_NAME && !item.hovered) return;
  context.font = FONT;
  context.textBaseline = "middle";
  const most = Math.max(rect.w, item.hovered ? 400 : 0) - 10;
  const text = shortened(context, item.name, most);
  if (!text) return;
  const width = context.measureText(text).width + 10;
  const [x, y] = [Math.max(0, rect.x - 1), Math.max(0, rect.y - NAME_HEIGHT)];
  context.fillStyle = isOpen ? "rgb(20 20 18 / 82%)" : colour;
  context.fillRect(x, y, width, NAME_HEIGHT);
  context.fillStyle = isOpen ? "#fff" : inkOn(colour);
  context.fillText(text, x + 5, y + NAME_HEIGHT / 2 + 0.5);
}

function shortened(context: CanvasRenderingContext2D, text: string, most: number): string {
  if (context.measureText(text).width <= most) return text;
  for (let length = text.length - 1; length > 1; length -= 1) {
    const short = `${text.slice(0, length)}…`;
    if (context.measureText(short).width <= most) return short;
  }
  return "";
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

/** Black or white, whichever can be read on a colour written as `#rrggbb`. */
export function inkOn(colour: string): string {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) =>
    Number.parseInt(colour.slice(at, at + 2), 16),
  );
  return 0.299 * r + 0.587 * g + 0.114 * b > 140 ? "#14140f" : "#fff";
}
