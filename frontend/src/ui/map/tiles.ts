import type { TilePlace } from "../../api/maps";
import type { Box } from "./plane";

export type Points = {
  kind: "points";
  x: Float32Array;
  y: Float32Array;
  indices: Uint32Array;
  /** RGBA of each as it lies in memory, 0 for what is hidden; without any all look alike. */
  colours?: Uint32Array;
};
export type Density = {
  kind: "density";
  count: number;
  side: number;
  bins: Uint32Array;
  /** Likewise, of each bin. */
  colours?: Uint32Array;
};
export type Tile = Points | Density;
export type DrawnTile = { tile: Tile; box: Box };

const HEAD = 16;
const DENSITY = 1;

/** Reads what the server sends of a tile; docs/api.md has the layout. */
export function decodeTile(buffer: ArrayBuffer): Tile {
  const [kind, count = 0, side = 0] = new Uint32Array(buffer, 0, 4);
  if (kind === DENSITY) {
    return { kind: "density", count, side, bins: new Uint32Array(buffer, HEAD, side * side) };
  }
  return {
    kind: "points",
    x: new Float32Array(buffer, HEAD, count),
    y: new Float32Array(buffer, HEAD + 4 * count, count),
    indices: new Uint32Array(buffer, HEAD + 8 * count, count),
  };
}

const DEEPEST = 12;

/** The tiles of a level that a view shows: about two on each side. */
export function tilesIn(view: Box, all: Box): TilePlace[] {
  const share = Math.min(1, (view.x1 - view.x0) / (all.x1 - all.x0 || 1));
  const level = Math.min(DEEPEST, Math.max(1, Math.round(Math.log2(1 / share)) + 1));
  const count = 2 ** level;
  const between = (low: number, high: number, least: number, most: number): number[] => {
    const width = (most - least || 1) / count;
    const first = Math.max(0, Math.floor((low - least) / width));
    const last = Math.min(count - 1, Math.floor((high - least) / width));
    return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
  };
  const rows = between(view.y0, view.y1, all.y0, all.y1);
  return between(view.x0, view.x1, all.x0, all.x1).flatMap((column) =>
    rows.map((row) => ({ level, column, row })),
  );
}

/** Where on the plane a tile lies. */
export function boxOfTile({ level, column, row }: TilePlace, all: Box): Box {
  const width = (all.x1 - all.x0) / 2 ** level;
  const height = (all.y1 - all.y0) / 2 ** level;
  return {
    x0: all.x0 + column * width,
    x1: all.x0 + (column + 1) * width,
    y0: all.y0 + row * height,
    y1: all.y0 + (row + 1) * height,
  };
}

/**
 * Where each point of `after` was in `before`, by pool index; new ones stay where they are.
 *
 * Both are in order of their indices.
 */
export function origins(before: Points, after: Points): { x: Float32Array; y: Float32Array } {
  const x = after.x.slice();
  const y = after.y.slice();
  let place = 0;
  after.indices.forEach((index, target) => {
    while ((before.indices[place] ?? Number.POSITIVE_INFINITY) < index) place += 1;
    if (before.indices[place] !== index) return;
    x[target] = before.x[place] ?? 0;
    y[target] = before.y[place] ?? 0;
  });
  return { x, y };
}

const JOINED = new WeakMap<DrawnTile[], Points | null>();

/** The single images of all tiles as one; null without any. */
export function joined(tiles: DrawnTile[]): Points | null {
  const known = JOINED.get(tiles);
  if (known !== undefined) return known;
  const parts = tiles.flatMap(({ tile }) => (tile.kind === "points" ? [tile] : []));
  const [first, ...rest] = parts;
  const total = parts.reduce((sum, part) => sum + part.indices.length, 0);
  let found: Points | null = first ?? null;
  if (first && rest.length > 0) {
    found = {
      kind: "points",
      x: new Float32Array(total),
      y: new Float32Array(total),
      indices: new Uint32Array(total),
      ...(first.colours && { colours: new Uint32Array(total) }),
    };
    let at = 0;
    for (const part of parts) {
      found.x.set(part.x, at);
      found.y.set(part.y, at);
      found.indices.set(part.indices, at);
      if (part.colours) found.colours?.set(part.colours, at);
      at += part.indices.length;
    }
  }
  JOINED.set(tiles, found);
  return found;
}
