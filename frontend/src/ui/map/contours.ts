import { contours } from "d3-contour";
import type { Surface } from "../../api/types";
import type { Box } from "./plane";

/** Values on an even grid over a box, row by row from the least informativeness. */
export type Grid = { side: number; box: Box; values: Float64Array };
/** Rings of a contour in scores: outer ones and holes. */
export type Rings = [number, number][][];

export const SIDE = 64;

/** The node below `at` in ascending nodes, and how far it is to the next, 0..1. */
function between(nodes: number[], at: number): [number, number] {
  let low = 0;
  let high = nodes.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((nodes[middle] as number) <= at) low = middle;
    else high = middle;
  }
  const from = nodes[low] as number;
  const to = nodes[high] as number;
  return [low, to > from ? Math.min(1, Math.max(0, (at - from) / (to - from))) : 0];
}

/** A surface on an even grid over its own range, by bilinear interpolation. */
export function resample(surface: Surface, side = SIDE): Grid {
  const { purity, informativeness, values } = surface;
  const box = {
    x0: purity[0] ?? 0,
    x1: purity.at(-1) ?? 1,
    y0: informativeness[0] ?? 0,
    y1: informativeness.at(-1) ?? 1,
  };
  const along = (nodes: number[], low: number, high: number) =>
    Array.from({ length: side }, (_, step) =>
      between(nodes, low + (step / (side - 1)) * (high - low)),
    );
  const columns = along(purity, box.x0, box.x1);
  const found = new Float64Array(side * side);
  along(informativeness, box.y0, box.y1).forEach(([row, v], y) => {
    const below = values[row] ?? [];
    const above = values[row + 1] ?? below;
    columns.forEach(([column, u], x) => {
      const mix = (line: number[]) =>
        (1 - u) * (line[column] ?? 0) + u * (line[column + 1] ?? line[column] ?? 0);
      found[y * side + x] = (1 - v) * mix(below) + v * mix(above);
    });
  });
  return { side, box, values: found };
}

/** Between two grids of one side, `t` from 0 to 1. */
export function blend(from: Grid, to: Grid, t: number): Grid {
  const mix = (a: number, b: number) => a + t * (b - a);
  return {
    side: to.side,
    box: {
      x0: mix(from.box.x0, to.box.x0),
      x1: mix(from.box.x1, to.box.x1),
      y0: mix(from.box.y0, to.box.y0),
      y1: mix(from.box.y1, to.box.y1),
    },
    values: to.values.map((value, index) => mix(from.values[index] ?? value, value)),
  };
}

/** The regions where the grid reaches each threshold. */
export function regions(grid: Grid, thresholds: number[]): Rings[] {
  const { side, box } = grid;
  // A value stands in the middle of its cell, at 0.5, 1.5, ...
  const x = (at: number) => box.x0 + ((at - 0.5) / (side - 1)) * (box.x1 - box.x0);
  const y = (at: number) => box.y0 + ((at - 0.5) / (side - 1)) * (box.y1 - box.y0);
  return contours()
    .size([side, side])
    .thresholds(thresholds)(Array.from(grid.values))
    .map(({ coordinates }) =>
      coordinates.flatMap((polygon) =>
        polygon.map((ring) => ring.map(([a = 0, b = 0]): [number, number] => [x(a), y(b)])),
      ),
    );
}

/** Thresholds with as many nodes of the surface between each two. */
export function thresholdsOf(surface: Surface, count = 9): number[] {
  const sorted = surface.values.flat().sort((a, b) => a - b);
  const found = Array.from(
    { length: count },
    (_, step) => sorted[Math.floor(((step + 1) / (count + 1)) * sorted.length)] ?? 0,
  );
  return [...new Set(found)];
}
