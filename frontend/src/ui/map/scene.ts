import { ticks } from "../scale";
import { blend, type Grid, type Rings, regions } from "./contours";
import {
  type Colour,
  clipTo,
  densityImage,
  drawMark,
  drawTicks,
  largest,
  type Mark,
  pathOf,
  type Theme,
} from "./paint";
import type { Box, Place, Scale, Size, View } from "./plane";
import { scaleOf, seen, toPixel } from "./plane";
import { PointPainter } from "./points";
import { type DrawnTile, joined, origins, type Points, type Tile } from "./tiles";

export type Relief = { grid: Grid; thresholds: number[]; level: number | null; name: string };
/** Everything that is drawn of one map. */
export type Content = {
  tiles: DrawnTile[];
  relief: Relief | null;
  marks: Mark[];
  outline: Place[] | null;
};
export type Shown = { pool: boolean; surface: boolean; boundary: boolean };
export type Palette = Theme & { points: Colour };

const MOVE_MS = 450;
const LINES = { fill: 0.055, line: 0.45 };

const eased = (t: number): number => 1 - (1 - t) ** 3;

/** Draws the map on two canvases, again whenever something about it has changed. */
export class Scene {
  private painter = new PointPainter();
  private box: Box = { x0: 0, x1: 1, y0: 0, y1: 1 };
  private view: View = { k: 1, x: 0, y: 0 };
  private size: Size = { width: 0, height: 0 };
  private content: Content = { tiles: [], relief: null, marks: [], outline: null };
  private before: Content | null = null;
  private hasAxes = true;
  private shown: Shown = { pool: true, surface: true, boundary: true };
  private started = 0;
  private frame = 0;
  private lines: { key: unknown[]; bands: Rings[]; boundary: Rings } | null = null;
  private pictures = new WeakMap<Tile, HTMLCanvasElement>();
  private sources = new WeakMap<Points, { x: Float32Array; y: Float32Array }>();

  constructor(
    private ground: HTMLCanvasElement,
    private top: HTMLCanvasElement,
    private palette: Palette,
  ) {}

  get scale(): Scale {
    return scaleOf(this.box, this.size, this.view);
  }

  set(
    change: Partial<{
      box: Box;
      view: View;
      size: Size;
      shown: Shown;
      palette: Palette;
      hasAxes: boolean;
    }>,
  ): void {
    Object.assign(this, change);
    if (change.palette) this.pictures = new WeakMap();
    this.redraw();
  }

  /** Show another round, or more of this one; `moves` lets points and surface go over into it. */
  show(content: Content, moves: boolean): void {
    this.before = moves ? this.content : null;
    this.sources = new WeakMap();
    this.started = performance.now();
    this.content = content;
    this.redraw();
  }

  redraw(): void {
    if (this.frame === 0) this.frame = requestAnimationFrame((now) => this.draw(now));
  }

  stop(): void {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
  }

  private draw(now: number): void {
    this.frame = 0;
    const t = this.before ? Math.min(1, (now - this.started) / MOVE_MS) : 1;
    if (t >= 1) this.before = null;
    const ratio = window.devicePixelRatio || 1;
    for (const canvas of [this.ground, this.top]) resize(canvas, this.size, ratio);
    const ground = this.ground.getContext("2d", { willReadFrequently: true });
    const top = this.top.getContext("2d");
    if (!ground || !top || this.size.width === 0) return;
    ground.setTransform(1, 0, 0, 1, 0, 0);
    ground.clearRect(0, 0, this.ground.width, this.ground.height);
    if (this.shown.pool) this.drawPool(ground, eased(t), ratio);
    top.setTransform(ratio, 0, 0, ratio, 0, 0);
    top.clearRect(0, 0, this.size.width, this.size.height);
    this.drawRelief(top, eased(t));
    if (this.hasAxes) this.drawAxes(top);
    this.drawMarks(top, t);
    this.drawOutline(top);
    if (this.before) this.redraw();
  }

  private drawPool(context: CanvasRenderingContext2D, t: number, ratio: number): void {
    const { scale, palette } = this;
    const densities = this.content.tiles.filter(({ tile }) => tile.kind === "density");
    const most = Math.max(
      1,
      ...densities.map(({ tile }) => (tile.kind === "density" ? largest(tile.bins) : 0)),
    );
    const single = joined(this.content.tiles);
    if (single) {
      const placed = t < 1 ? this.moving(single, t) : { x: single.x, y: single.y };
      if (single.colours) this.painter.paintEach(context, placed, single.colours, scale, ratio);
      else this.painter.paint(context, placed, scale, palette.points, ratio);
    }
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.imageSmoothingEnabled = false;
    for (const { tile, box } of densities) {
      if (tile.kind !== "density") continue;
      const picture = this.pictures.get(tile) ?? densityImage(tile, palette.points, most);
      this.pictures.set(tile, picture);
      const from = toPixel(scale, { x: box.x0, y: box.y1 });
      const to = toPixel(scale, { x: box.x1, y: box.y0 });
      context.drawImage(picture, from.x, from.y, to.x - from.x, to.y - from.y);
    }
  }

  private moving(points: Points, t: number): { x: Float32Array; y: Float32Array } {
    const old = this.before ? joined(this.before.tiles) : null;
    if (!old) return { x: points.x, y: points.y };
    const from = this.sources.get(points) ?? origins(old, points);
    this.sources.set(points, from);
    return {
      x: points.x.map((value, index) => mix(from.x[index] ?? value, value, t)),
      y: points.y.map((value, index) => mix(from.y[index] ?? value, value, t)),
    };
  }

  private drawRelief(context: CanvasRenderingContext2D, t: number): void {
    const relief = this.relief(t);
    if (!relief || !(this.shown.surface || this.shown.boundary)) return;
    const { scale } = this;
    const { bands, boundary } = this.contoursOf(relief);
    context.save();
    clipTo(context, relief.grid.box, scale);
    context.strokeStyle = this.palette.gold;
    context.fillStyle = this.palette.gold;
    if (this.shown.surface) {
      context.lineWidth = 1;
      for (const band of bands) {
        const path = pathOf(band, scale);
        context.globalAlpha = LINES.fill;
        context.fill(path, "evenodd");
        context.globalAlpha = LINES.line;
        context.stroke(path);
      }
    }
    context.globalAlpha = 1;
    if (this.shown.boundary) {
      context.strokeStyle = this.palette.goldInk;
      context.lineWidth = 2.25;
      context.setLineDash([7, 4]);
      context.stroke(pathOf(boundary, scale));
    }
    context.restore();
  }

  private relief(t: number): Relief | null {
    const { relief } = this.content;
    const old = this.before?.relief;
    if (!relief || !old || t >= 1 || old.name !== relief.name) return relief;
    return {
      ...relief,
      grid: blend(old.grid, relief.grid, t),
      thresholds: relief.thresholds.map((to, index) => mix(old.thresholds[index] ?? to, to, t)),
      level:
        relief.level === null || old.level === null
          ? relief.level
          : mix(old.level, relief.level, t),
    };
  }

  /** Contours in scores; panning and zooming leave them as they are. */
  private contoursOf({ grid, thresholds, level }: Relief) {
    const key = [grid, thresholds, level];
    if (this.lines?.key.every((part, index) => part === key[index])) return this.lines;
    const boundary = level === null ? [] : (regions(grid, [level])[0] ?? []);
    this.lines = { key, bands: regions(grid, thresholds), boundary };
    return this.lines;
  }

  private drawAxes(context: CanvasRenderingContext2D): void {
    const { scale, size, palette } = this;
    const view = seen(scale, size);
    context.font = "11px Geist, system-ui, sans-serif";
    const across = ticks(view.x0, view.x1, Math.max(3, Math.round(size.width / 130)));
    drawTicks(context, size, "x", across, (x) => toPixel(scale, { x, y: 0 }).x, palette);
    const up = ticks(view.y0, view.y1, 6);
    drawTicks(context, size, "y", up, (y) => toPixel(scale, { x: 0, y }).y, palette);
  }

  private drawMarks(context: CanvasRenderingContext2D, t: number): void {
    const { scale, content } = this;
    const radius = content.marks.length > 2_000 ? 3 : 4.5;
    // The new queries appear with the new surface.
    context.globalAlpha = this.before ? t : 1;
    for (const mark of content.marks) {
      const at = toPixel(scale, mark);
      drawMark(context, { ...mark, ...at }, radius, this.palette);
    }
    context.globalAlpha = 1;
  }

  private drawOutline(context: CanvasRenderingContext2D): void {
    const { outline } = this.content;
    if (!outline) return;
    const path = pathOf([outline.map(({ x, y }): [number, number] => [x, y])], this.scale);
    context.strokeStyle = this.palette.ink;
    context.lineWidth = 1.5;
    context.stroke(path);
    context.globalAlpha = 0.06;
    context.fillStyle = this.palette.ink;
    context.fill(path);
    context.globalAlpha = 1;
  }
}

const mix = (from: number, to: number, t: number): number => from + t * (to - from);

function resize(canvas: HTMLCanvasElement, { width, height }: Size, ratio: number): void {
  const wide = Math.round(width * ratio);
  const high = Math.round(height * ratio);
  if (canvas.width !== wide) canvas.width = wide;
  if (canvas.height !== high) canvas.height = high;
}
