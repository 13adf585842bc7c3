import { type Quadtree, quadtree } from "d3-quadtree";
import { type Box, type Place, type Size, scaleOf, toPixel, type View, WHOLE } from "./plane";
import type { Points } from "./tiles";

const NEAR = 9;

export type Queried = { poolIndex: number; x: number; y: number };

/** Finds what lies under the pointer: a query if one is near, else an image of the pool. */
export class Picker {
  private queries: Quadtree<number>;
  private pool: Quadtree<number> | null = null;

  constructor(
    private marks: Queried[],
    private points: Points | null,
    private box: Box,
    private size: Size,
  ) {
    this.queries = this.tree(
      marks.length,
      (index) => marks[index]?.x ?? 0,
      (index) => marks[index]?.y ?? 0,
    );
  }

  /** The pool index of what is nearest to a place in pixels, or null. */
  at(place: Place, view: View, withPool: boolean): number | null {
    const x = (place.x - view.x) / view.k;
    const y = (place.y - view.y) / view.k;
    const near = NEAR / view.k;
    const query = this.queries.find(x, y, near);
    if (query !== undefined) return this.marks[query]?.poolIndex ?? null;
    if (!this.points || !withPool) return null;
    const { x: xs, y: ys, indices, colours } = this.points;
    this.pool ??= this.tree(
      indices.length,
      (index) => xs[index] ?? 0,
      (index) => ys[index] ?? 0,
      (index) => colours?.[index] !== 0,
    );
    const found = this.pool.find(x, y, near);
    return found === undefined ? null : (indices[found] ?? null);
  }

  /** In pixels of the whole plane, so that near means the same along both axes. */
  private tree(
    count: number,
    x: (index: number) => number,
    y: (index: number) => number,
    isShown: (index: number) => boolean = () => true,
  ): Quadtree<number> {
    const scale = scaleOf(this.box, this.size, WHOLE);
    return quadtree<number>()
      .x((index) => toPixel(scale, { x: x(index), y: 0 }).x)
      .y((index) => toPixel(scale, { x: 0, y: y(index) }).y)
      .addAll(Array.from({ length: count }, (_, index) => index).filter(isShown));
  }
}
