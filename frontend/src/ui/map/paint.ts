import { locale } from "../../strings/language";
import { tickLabels } from "../scale";
import type { Rings } from "./contours";
import { type Box, type Scale, type Size, toPixel } from "./plane";
import type { Density } from "./tiles";

/** Little-endian RGBA, as image data has it. */
export const rgba = ([red, green, blue]: Colour, alpha = 255): number =>
  ((alpha << 24) | (blue << 16) | (green << 8) | red) >>> 0;

export type Colour = [red: number, green: number, blue: number];

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
    each((start, _, width) => {
      for (let line = start; line < start + side * width; line += width) {
        for (let x = line; x < line + side; x += 1) {
          const count = counts[x] as number;
          if (count < 255) counts[x] = count + 1;
        }
      }
    });
    const ink = inks(colour, points.x.length > MANY ? 12 : 4);
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
    const { side, each } = placing(image, points, scale, ratio);
    for (const isOpaque of [false, true]) {
      each((start, index, width) => {
        const colour = colours[index] as number;
        if (colour === 0 || (colour >>> 24 === 255) !== isOpaque) return;
        for (let line = start; line < start + side * width; line += width) {
          for (let x = line; x < line + side; x += 1) pixels[x] = colour;
        }
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

const MANY = 5_000;

/** Where the dots of points begin in the picture, and how wide they are. */
function placing(
  { width, height }: ImageData,
  points: { x: Float32Array; y: Float32Array },
  scale: Scale,
  ratio: number,
) {
  // Of few points each is a dot that can be pointed at.
  const side = Math.max(2, Math.round(ratio * (points.x.length > MANY ? 2 : 3)));
  const half = side / 2;
  const ax = scale.ax * ratio;
  const bx = scale.bx * ratio - half;
  const ay = scale.ay * ratio;
  const by = scale.by * ratio - half;
  const each = (draw: (start: number, index: number, width: number) => void) => {
    for (let index = 0; index < points.x.length; index += 1) {
      const left = Math.round(ax * (points.x[index] as number) + bx);
      const top = Math.round(ay * (points.y[index] as number) + by);
      if (left < 0 || top < 0 || left + side > width || top + side > height) continue;
      draw(top * width + left, index, width);
    }
  };
  return { side, each };
}

/** A density as a picture of one pixel a bin, brightest where `most` images are. */
export function densityImage(density: Density, colour: Colour, most: number) {
  const canvas = document.createElement("canvas");
  canvas.width = density.side;
  canvas.height = density.side;
  const context = canvas.getContext("2d");
  const image = context?.createImageData(density.side, density.side);
  if (!context || !image) return canvas;
  const pixels = new Uint32Array(image.data.buffer);
  density.bins.forEach((count, at) => {
    const own = density.colours?.[at];
    if (count === 0 || own === 0) return;
    const share = Math.min(1, Math.log1p(count) / Math.log1p(most));
    const row = density.side - 1 - Math.floor(at / density.side);
    // A colour has to be told from others also where few images are.
    const alpha = Math.round(own === undefined ? 30 + 225 * share : 90 + 165 * share);
    pixels[row * density.side + (at % density.side)] =
      own === undefined
        ? rgba(colour, alpha)
        : ((((alpha * (own >>> 24)) / 255) << 24) | (own & 0xffffff)) >>> 0;
  });
  context.putImageData(image, 0, 0);
  return canvas;
}

export function pathOf(rings: Rings, scale: Scale): Path2D {
  const path = new Path2D();
  for (const ring of rings) {
    ring.forEach(([x, y], index) => {
      const at = toPixel(scale, { x, y });
      if (index === 0) path.moveTo(at.x, at.y);
      else path.lineTo(at.x, at.y);
    });
    path.closePath();
  }
  return path;
}

export function clipTo(context: CanvasRenderingContext2D, box: Box, scale: Scale): void {
  const from = toPixel(scale, { x: box.x0, y: box.y1 });
  const to = toPixel(scale, { x: box.x1, y: box.y0 });
  context.beginPath();
  context.rect(from.x, from.y, to.x - from.x, to.y - from.y);
  context.clip();
}

/** The shape of a verdict; a class is a disc in its colour. */
export type Shape = "class" | "ood" | "skip" | "unsure" | "none";
/** Without a class the shape has a colour of its own. */
export type Mark = { x: number; y: number; shape: Shape; colour: string | null };
export type Theme = {
  surface: string;
  ink: string;
  ink2: string;
  gold: string;
  goldInk: string;
  ood: string;
};

export function drawMark(
  context: CanvasRenderingContext2D,
  { x, y, shape, colour }: Mark,
  radius: number,
  theme: Theme,
): void {
  const line = shape === "ood" ? theme.ink : theme.goldInk;
  context.beginPath();
  if (shape === "ood") context.rect(x - radius, y - radius, 2 * radius, 2 * radius);
  else if (shape === "skip") {
    context.moveTo(x, y - radius);
    context.lineTo(x + radius, y + radius);
    context.lineTo(x - radius, y + radius);
    context.closePath();
  } else if (shape === "unsure") {
    context.moveTo(x, y - radius - 1);
    context.lineTo(x + radius + 1, y);
    context.lineTo(x, y + radius + 1);
    context.lineTo(x - radius - 1, y);
    context.closePath();
  } else context.arc(x, y, radius, 0, 2 * Math.PI);
  const fill = colour ?? theme.ood;
  context.fillStyle = shape === "class" ? fill : theme.surface;
  context.fill();
  context.lineWidth = shape === "class" ? 1.25 : 1.5;
  context.strokeStyle = shape === "class" ? theme.surface : line;
  context.stroke();
  if (shape !== "ood") return;
  // Hatched, as OOD is everywhere.
  context.beginPath();
  context.moveTo(x - radius, y + radius);
  context.lineTo(x + radius, y - radius);
  context.moveTo(x - radius, y);
  context.lineTo(x, y - radius);
  context.moveTo(x, y + radius);
  context.lineTo(x + radius, y);
  context.stroke();
}

/** Writes along an axis what lies in view. */
export function drawTicks(
  context: CanvasRenderingContext2D,
  size: Size,
  axis: "x" | "y",
  values: number[],
  pixelOf: (value: number) => number,
): void {
  context.textAlign = axis === "x" ? "center" : "left";
  context.textBaseline = "alphabetic";
  // Readable on a dense pool.
  context.lineWidth = 3;
  tickLabels(values, locale).forEach((text, index) => {
    const at = pixelOf(values[index] as number);
    if (at <= 0 || at >= (axis === "x" ? size.width : size.height)) return;
    const half = context.measureText(text).width / 2 + 2;
    const x = axis === "x" ? Math.min(size.width - half, Math.max(half, at)) : 6;
    const y = axis === "x" ? size.height - 6 : Math.min(size.height - 22, Math.max(14, at + 4));
    context.strokeText(text, x, y);
    context.fillText(text, x, y);
  });
}

export const largest = (bins: Uint32Array): number =>
  bins.reduce((most, count) => Math.max(most, count), 0);
