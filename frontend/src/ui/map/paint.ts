import { locale } from "../../strings/language";
import { tickLabels } from "../scale";
import type { Rings } from "./contours";
import { type Box, type Scale, type Size, toPixel } from "./plane";
import type { Density } from "./tiles";

/** Little-endian RGBA, as image data has it. */
export const rgba = ([red, green, blue]: Colour, alpha = 255): number =>
  ((alpha << 24) | (blue << 16) | (green << 8) | red) >>> 0;

export type Colour = [red: number, green: number, blue: number];

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

/** The shape of a verdict; a class is a disc in its colour, and so is a label of nothing. */
export type Shape = "label" | "nothing" | "ood" | "skip" | "unsure" | "none";
/** Without a class the shape has a colour of its own. */
export type Mark = { x: number; y: number; shape: Shape; colour: string | null };
export type Theme = {
  surface: string;
  ink: string;
  ink2: string;
  gold: string;
  goldInk: string;
  nothing: string;
  queued: string;
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
  const isLabel = shape === "label" || shape === "nothing";
  const fill = colour ?? (shape === "nothing" ? theme.nothing : theme.ood);
  context.fillStyle = isLabel ? fill : theme.surface;
  context.fill();
  context.lineWidth = isLabel ? 1.25 : 1.5;
  context.strokeStyle = isLabel ? theme.surface : line;
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

/** Writes along an axis what lies in view, on plates of the surface: readable on a dense pool. */
export function drawTicks(
  context: CanvasRenderingContext2D,
  size: Size,
  axis: "x" | "y",
  values: number[],
  pixelOf: (value: number) => number,
  theme: Theme,
): void {
  context.textAlign = axis === "x" ? "center" : "left";
  context.textBaseline = "alphabetic";
  tickLabels(values, locale).forEach((text, index) => {
    const at = pixelOf(values[index] as number);
    if (at <= 0 || at >= (axis === "x" ? size.width : size.height)) return;
    const half = context.measureText(text).width / 2 + 2;
    const x = axis === "x" ? Math.min(size.width - half, Math.max(half, at)) : 6;
    const y = axis === "x" ? size.height - 6 : Math.min(size.height - 22, Math.max(14, at + 4));
    context.fillStyle = theme.surface;
    context.fillRect(axis === "x" ? x - half : x - 2, y - 12, 2 * half, 16);
    context.fillStyle = theme.ink2;
    context.fillText(text, x, y);
  });
}

export const largest = (bins: Uint32Array): number =>
  bins.reduce((most, count) => Math.max(most, count), 0);
