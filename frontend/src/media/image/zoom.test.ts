import { describe, expect, it } from "vitest";
import { bounded, HOME, mostOf, zoomed } from "./zoom";

const frame = { width: 400, height: 300 };

describe("zooming", () => {
  it("keeps what is under the pointer where it is", () => {
    const point = { x: 60, y: -40 };
    const once = zoomed(HOME, 2, point, 8);
    const twice = zoomed(once, 1.5, point, 8);
    for (const view of [once, twice]) {
      // The same place of the image, before and after.
      expect((point.x - view.x) / view.scale).toBeCloseTo(point.x);
      expect((point.y - view.y) / view.scale).toBeCloseTo(point.y);
    }
  });

  it("ends at the whole image, and where pixels of the image are large", () => {
    expect(zoomed({ scale: 2, x: 30, y: 9 }, 0.1, { x: 5, y: 5 }, 8)).toEqual(HOME);
    expect(zoomed(HOME, 100, { x: 0, y: 0 }, 8).scale).toBe(8);
    expect(mostOf({ width: 8000, height: 6000 }, { width: 400, height: 300 })).toBe(80);
    expect(mostOf({ width: 8, height: 8 }, { width: 224, height: 224 })).toBe(8);
  });

  it("does not lose the image beside the frame", () => {
    const image = { width: 400, height: 150 };
    expect(bounded({ scale: 2, x: 900, y: 50 }, image, frame)).toEqual({ scale: 2, x: 200, y: 0 });
  });
});
