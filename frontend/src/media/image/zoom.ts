/** How an image is drawn: enlarged about its centre, then moved by pixels of the screen. */
export type View = { scale: number; x: number; y: number };
export type Size = { width: number; height: number };
type Point = { x: number; y: number };

export const HOME: View = { scale: 1, x: 0, y: 0 };
export const STEP = 1.4;

/** The view `factor` times as large, with what is at `point` (from the frame's centre) kept there. */
export function zoomed(view: View, factor: number, point: Point, most: number): View {
  const scale = Math.min(most, Math.max(1, view.scale * factor));
  if (scale < 1.02) return HOME;
  const ratio = scale / view.scale;
  return {
    scale,
    x: point.x - (point.x - view.x) * ratio,
    y: point.y - (point.y - view.y) * ratio,
  };
}

/** The view moved, but not so far that the frame shows what is beside the image. */
export function bounded(view: View, image: Size, frame: Size): View {
  const within = (value: number, drawn: number, room: number) => {
    const most = Math.max(0, (drawn * view.scale - room) / 2);
    return Math.min(most, Math.max(-most, value));
  };
  return {
    scale: view.scale,
    x: within(view.x, image.width, frame.width),
    y: within(view.y, image.height, frame.height),
  };
}

/** So far that four pixels of the screen show one of the image, and never less than eightfold. */
export const mostOf = (natural: Size, drawn: Size): number =>
  Math.max(8, (4 * natural.width) / Math.max(1, drawn.width));
