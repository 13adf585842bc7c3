import { type Colour, rgba } from "./paint";
import type { Scale } from "./plane";

const LEAST_INK = 70;

/** Ink for 0, 1, 2, … images on one pixel, as little-endian RGBA. */
function inks(colour: Colour, steps: number): Uint32Array {
  return Uint32Array.from({ length: 256 }, (_, count) => {
    if (count === 0) return 0;
    const share = Math.min(1, Math.log1p(count) / Math.log1p(steps));
    const alpha = Math.round(LEAST_INK + share * (255 - LEAST_INK));
    return rgba(colour, alpha);
  });
}

/** Draws many points fast: counts how many fall on each pixel, then turns counts into ink. */
export class PointPainter {
  private counts = new Uint8Array(0);
  private image: ImageData | null = null;

  paint(
    context: CanvasRenderingContext2D,
    points: { x: Float32Array; y: Float32Array },
    scale: Scale,
    colour: Colour,
    ratio: number,
  ): void {
    const image = this.sized(context);
    if (!image) return;
    const { counts } = this;
    counts.fill(0);
    const { side, each } = placing(image, points, scale, ratio);
    const offsets = discOf(side, image.width);
    each((start) => {
      for (const offset of offsets) {
        const count = counts[start + offset] as number;
        if (count < 255) counts[start + offset] = count + 1;
      }
    });
    const ink = inks(colour, stepsOf(points.x.length));
    const pixels = new Uint32Array(image.data.buffer);
    for (let at = 0; at < pixels.length; at += 1) pixels[at] = ink[counts[at] as number] as number;
    context.putImageData(image, 0, 0);
  }

  /** Draws each point in a colour of its own: first those that let others shine through, then the others. */
  paintEach(
    context: CanvasRenderingContext2D,
    points: { x: Float32Array; y: Float32Array },
    colours: Uint32Array,
    scale: Scale,
    ratio: number,
  ): void {
    const image = this.sized(context);
    if (!image) return;
    const pixels = new Uint32Array(image.data.buffer);
    pixels.fill(0);
    const { side, each } = placing(image, points, scale, ratio, dotOf(points.x.length));
    const offsets = discOf(side, image.width);
    for (const isOpaque of [false, true]) {
      each((start, index) => {
        const colour = colours[index] as number;
        if (colour === 0 || (colour >>> 24 === 255) !== isOpaque) return;
        for (const offset of offsets) pixels[start + offset] = colour;
      });
    }
    context.putImageData(image, 0, 0);
  }

  private sized(context: CanvasRenderingContext2D): ImageData | null {
    const { width, height } = context.canvas;
    if (width === 0 || height === 0) return null;
    if (this.image?.width !== width || this.image.height !== height) {
      this.image = context.createImageData(width, height);
      this.counts = new Uint8Array(width * height);
    }
    return this.image;
  }
}

const FEW = 300;
const MANY = 5_000;

/** How wide a dot is of which only the place counts, in CSS pixels: few can be pointed at. */
function plainDotOf(count: number): number {
  if (count <= FEW) return 6;
  return count > MANY ? 2 : 3;
}

/** From how many images on one pixel on its ink is full. */
function stepsOf(count: number): number {
  if (count <= FEW) return 2;
  return count > MANY ? 12 : 4;
}

/** How wide a dot is whose colour is to be told from others', in CSS pixels. */
function dotOf(count: number): number {
  if (count <= 2_000) return 7;
  if (count <= 10_000) return 5;
  return count <= 40_000 ? 3 : 2;
}

/** The pixels of a dot, from its first; a small one is a square. */
function discOf(side: number, width: number): number[] {
  const middle = (side - 1) / 2;
  const reach = side < 5 ? Number.POSITIVE_INFINITY : (side / 2) ** 2;
  return Array.from({ length: side * side }, (_, at) => [at % side, Math.floor(at / side)] as const)
    .filter(([x, y]) => (x - middle) ** 2 + (y - middle) ** 2 <= reach)
    .map(([x, y]) => y * width + x);
}

/** Where the dots of points begin in the picture, and how wide they are. */
function placing(
  { width, height }: ImageData,
  points: { x: Float32Array; y: Float32Array },
  scale: Scale,
  ratio: number,
  dot = plainDotOf(points.x.length),
) {
  const side = Math.max(2, Math.round(ratio * dot));
  const half = side / 2;
  const ax = scale.ax * ratio;
  const bx = scale.bx * ratio - half;
  const ay = scale.ay * ratio;
  const by = scale.by * ratio - half;
  const each = (draw: (start: number, index: number) => void) => {
    for (let index = 0; index < points.x.length; index += 1) {
      const left = Math.round(ax * (points.x[index] as number) + bx);
      const top = Math.round(ay * (points.y[index] as number) + by);
      if (left < 0 || top < 0 || left + side > width || top + side > height) continue;
      draw(top * width + left, index);
    }
  };
  return { side, each };
}
