import { centreOf, type Point, type Rect, type Size, toImage, type View } from "./geometry";

/** Space around the image, where a box that reaches its edge can be held. */
export const MARGIN = 14;
/** Screen pixels that one of the image has at most. */
const LARGEST = 48;
/** Images of a few pixels are not made larger than this to fill the stage. */
const LARGEST_FIT = 24;

/** The whole image, in the middle. */
export function fitted(image: Size, frame: Size, margin = MARGIN): View {
  const room = (side: number) => Math.max(16, side - 2 * margin);
  const k = Math.min(
    room(frame.width) / image.width,
    room(frame.height) / image.height,
    LARGEST_FIT,
  );
  return {
    k,
    x: (frame.width - image.width * k) / 2,
    y: (frame.height - image.height * k) / 2,
  };
}

/** How little and how much the image can be enlarged. */
export function scales(image: Size, frame: Size): [number, number] {
  const { k } = fitted(image, frame);
  return [k, Math.max(LARGEST, 4 * k)];
}

/** The view with the image not lost beside the frame; in the middle where it is smaller than that. */
export function bounded(view: View, image: Size, frame: Size): View {
  const along = (at: number, drawn: number, room: number) => {
    if (drawn + 2 * MARGIN <= room) return (room - drawn) / 2;
    // Up to a third of the frame may lie beside the image, so that its edges can be worked at.
    const beside = Math.max(MARGIN, room / 3);
    return Math.min(beside, Math.max(room - drawn - beside, at));
  };
  const { k } = view;
  return {
    k,
    x: along(view.x, image.width * k, frame.width),
    y: along(view.y, image.height * k, frame.height),
  };
}

/** The view `factor` times as large, with what is at `point` of the frame kept there. */
export function zoomed(view: View, factor: number, point: Point, image: Size, frame: Size): View {
  const [least, most] = scales(image, frame);
  const k = Math.min(most, Math.max(least, view.k * factor));
  const ratio = k / view.k;
  const next = {
    k,
    x: point.x - (point.x - view.x) * ratio,
    y: point.y - (point.y - view.y) * ratio,
  };
  return bounded(next, image, frame);
}

export const panned = (view: View, by: Point, image: Size, frame: Size): View =>
  bounded({ k: view.k, x: view.x + by.x, y: view.y + by.y }, image, frame);

/** How much of what is seen a box takes that is put there by a key. */
const PUT = 0.25;

/** A box in the middle of what is seen of an image, in whole pixels. */
export function inMiddle(view: View, image: Size, frame: Size): Rect {
  const seen = Math.min(frame.width, frame.height) / view.k;
  const side = Math.max(1, Math.round(PUT * Math.min(seen, image.width, image.height)));
  const middle = toImage({ x: frame.width / 2, y: frame.height / 2 }, view);
  const [x, y] = [middle.x - side / 2, middle.y - side / 2];
  return { x: Math.round(x), y: Math.round(y), w: side, h: side };
}

/** How much of the frame a box takes that is looked at closely. */
const CLOSE = 0.4;

/**
 * A box in the middle, with what is around it.
 *
 * One that is large enough to be judged is only brought into the middle if it is not in view: who steps
 * through many should not have to find their way each time.
 */
export function closeTo(rect: Rect, view: View, image: Size, frame: Size): View {
  const [least, most] = scales(image, frame);
  const longer = Math.max(rect.w / frame.width, rect.h / frame.height);
  const wanted = Math.min(most, 16, Math.max(least, CLOSE / Math.max(longer, 1e-9)));
  const share = longer * view.k;
  const isReadable = share >= 0.12 && share <= 0.8;
  const k = isReadable ? view.k : wanted;
  if (isReadable && isInView(rect, view, frame)) return view;
  const centre = centreOf(rect);
  const next = { k, x: frame.width / 2 - centre.x * k, y: frame.height / 2 - centre.y * k };
  return bounded(next, image, frame);
}

function isInView(rect: Rect, view: View, frame: Size): boolean {
  const [x, y] = [rect.x * view.k + view.x, rect.y * view.k + view.y];
  const [right, bottom] = [x + rect.w * view.k, y + rect.h * view.k];
  return x >= 0 && y >= 0 && right <= frame.width && bottom <= frame.height;
}

/** A view on the way from one to another, `part` (0..1) of it: the middle of the frame moves steadily. */
export function betweenViews(from: View, to: View, part: number, frame: Size): View {
  const k = from.k * (to.k / from.k) ** part;
  const middle = { x: frame.width / 2, y: frame.height / 2 };
  const at = (view: View) => ({ x: (middle.x - view.x) / view.k, y: (middle.y - view.y) / view.k });
  const [a, b] = [at(from), at(to)];
  // What the middle shows moves as the scale does, so that near things do not fly past.
  const share = from.k === to.k ? part : (1 / k - 1 / from.k) / (1 / to.k - 1 / from.k);
  const [x, y] = [a.x + (b.x - a.x) * share, a.y + (b.y - a.y) * share];
  return part >= 1 ? to : { k, x: middle.x - x * k, y: middle.y - y * k };
}
