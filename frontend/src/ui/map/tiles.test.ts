import { expect, it } from "vitest";
import { boxOfTile, decodeTile, joined, origins, type Points, tilesIn } from "./tiles";

function pointsOf(x: number[], y: number[], indices: number[]): Points {
  const count = indices.length;
  const buffer = new ArrayBuffer(16 + 12 * count);
  new Uint32Array(buffer, 0, 4).set([0, count, 0, 0]);
  new Float32Array(buffer, 16, 2 * count).set([...x, ...y]);
  new Uint32Array(buffer, 16 + 8 * count, count).set(indices);
  return decodeTile(buffer) as Points;
}

it("reads single images", () => {
  const points = pointsOf([0.5, 1], [2, 3], [7, 70_000]);
  expect(Array.from(points.x)).toEqual([0.5, 1]);
  expect(Array.from(points.y)).toEqual([2, 3]);
  expect(Array.from(points.indices)).toEqual([7, 70_000]);
});

it("reads a density", () => {
  const buffer = new Uint32Array([1, 9, 2, 0, 4, 0, 0, 5]).buffer;
  const tile = decodeTile(buffer);
  expect(tile).toEqual({ kind: "density", count: 9, side: 2, bins: new Uint32Array([4, 0, 0, 5]) });
});

const all = { x0: 0, x1: 8, y0: 0, y1: 4 };

it("asks for the tiles in view, and for few of them at any zoom", () => {
  expect(tilesIn(all, all)).toHaveLength(4);
  for (const width of [4, 1, 0.1, 0.003]) {
    const view = { x0: 3.3, x1: 3.3 + width, y0: 1, y1: 1 + width / 2 };
    const places = tilesIn(view, all);
    expect(places.length).toBeGreaterThan(0);
    expect(places.length).toBeLessThanOrEqual(16);
    const boxes = places.map((place) => boxOfTile(place, all));
    expect(Math.min(...boxes.map((box) => box.x0))).toBeLessThanOrEqual(view.x0);
    expect(Math.max(...boxes.map((box) => box.x1))).toBeGreaterThanOrEqual(view.x1);
    expect(Math.max(...boxes.map((box) => box.y1))).toBeGreaterThanOrEqual(view.y1);
  }
  expect(tilesIn({ x0: 20, x1: 21, y0: 9, y1: 9.5 }, all)).toEqual([]);
});

it("lets each image start from where it was in the round before", () => {
  const before = pointsOf([1, 2, 3], [10, 20, 30], [4, 6, 9]);
  const after = pointsOf([5, 6, 7], [50, 60, 70], [5, 6, 9]);
  const from = origins(before, after);
  // 5 is new, 4 has gone.
  expect(Array.from(from.x)).toEqual([5, 2, 3]);
  expect(Array.from(from.y)).toEqual([50, 20, 30]);
});

it("joins tiles of single images", () => {
  const one = { tile: pointsOf([1], [2], [3]), box: all };
  const two = { tile: pointsOf([4], [5], [6]), box: all };
  expect(Array.from(joined([one, two])?.indices ?? [])).toEqual([3, 6]);
  expect(joined([])).toBeNull();
});

it("keeps the colours of images whose tiles are joined", () => {
  const part = (indices: number[], colour: number): Points => ({
    ...pointsOf(indices, indices, indices),
    colours: new Uint32Array(indices.length).fill(colour),
  });
  const tiles = [part([1, 2], 5), part([3], 6)].map((tile) => ({ tile, box: all }));
  expect(Array.from(joined(tiles)?.colours ?? [])).toEqual([5, 5, 6]);
});
