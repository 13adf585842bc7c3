/** A part of the plane; in a map of a round purity goes along x, informativeness along y. */
export type Box = { x0: number; x1: number; y0: number; y1: number };
export type Size = { width: number; height: number };
/** Zoom and shift in pixels, as d3-zoom has them. */
export type View = { k: number; x: number; y: number };
export type Place = { x: number; y: number };

export const WHOLE: View = { k: 1, x: 0, y: 0 };

/** Maps the plane to pixels; y grows upwards. */
export type Scale = { ax: number; bx: number; ay: number; by: number };

export function scaleOf(box: Box, size: Size, view: View): Scale {
  const ax = (view.k * size.width) / (box.x1 - box.x0);
  const ay = (-view.k * size.height) / (box.y1 - box.y0);
  return { ax, bx: view.x - box.x0 * ax, ay, by: view.y - box.y1 * ay };
}

export const toPixel = (scale: Scale, { x, y }: Place): Place => ({
  x: scale.ax * x + scale.bx,
  y: scale.ay * y + scale.by,
});

export const toPlane = (scale: Scale, { x, y }: Place): Place => ({
  x: (x - scale.bx) / scale.ax,
  y: (y - scale.by) / scale.ay,
});

/** The part of the plane that is seen. */
export function seen(scale: Scale, size: Size): Box {
  const topLeft = toPlane(scale, { x: 0, y: 0 });
  const bottomRight = toPlane(scale, { x: size.width, y: size.height });
  return { x0: topLeft.x, x1: bottomRight.x, y0: bottomRight.y, y1: topLeft.y };
}

type Span = { low: number; high: number };
export type Spans = { x: Span; y: Span };

const PADDING = 0.05;
/** Scores are single precision: what differs by less is the same, and no axis to be spread over. */
const ROUNDING = 1e-6;

/** The plane that holds all of these, with a little room; null for none. */
export function around(maps: Spans[]): Box | null {
  if (maps.length === 0) return null;
  const padded = (spans: Span[]): [number, number] => {
    const low = Math.min(...spans.map((span) => span.low));
    const high = Math.max(...spans.map((span) => span.high));
    const isOne = high - low <= ROUNDING * Math.max(Math.abs(low), Math.abs(high));
    const room = isOne ? Math.max(Math.abs(low) * PADDING, 0.5) : (high - low) * PADDING;
    return [low - room, high + room];
  };
  const [x0, x1] = padded(maps.map((map) => map.x));
  const [y0, y1] = padded(maps.map((map) => map.y));
  return { x0, x1, y0, y1 };
}

const SMALL = 0.1;

/** On which axes what lies in `own` would be no more than a line beside the others. */
export function linesUp(own: Spans, all: Spans[]): ("x" | "y")[] {
  return (["x", "y"] as const).filter((axis) => {
    const low = Math.min(...all.map((one) => one[axis].low));
    const high = Math.max(...all.map((one) => one[axis].high));
    const range = own[axis].high - own[axis].low;
    return range === 0 || range < SMALL * (high - low);
  });
}

export const boxOf = ({ x, y }: Spans): Box => ({ x0: x.low, x1: x.high, y0: y.low, y1: y.high });

/** A box as the corners of an outline. */
export const cornersOf = ({ x0, x1, y0, y1 }: Box): Place[] => [
  { x: x0, y: y0 },
  { x: x1, y: y0 },
  { x: x1, y: y1 },
  { x: x0, y: y1 },
];
