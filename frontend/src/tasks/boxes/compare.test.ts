import { expect, it } from "vitest";
import { againstEachOther, iou, plainly } from "./compare";
import { boxOf } from "./model";

const at = (x: number, classId = 1) => boxOf({ x, y: 0, w: 10, h: 10 }, classId);
const label = (...boxes: ReturnType<typeof at>[]) => ({
  type: "boxes" as const,
  boxes,
  threshold: 0.4,
});

it("tells how much two boxes overlap", () => {
  expect(iou(at(0), at(0))).toBe(1);
  expect(iou(at(0), at(5))).toBeCloseTo(1 / 3);
  expect(iou(at(0), at(10))).toBe(0);
});

it("leaves what the one label has besides the other", () => {
  const found = againstEachOther(label(at(0), at(50)), label(at(0.1), at(20), at(50, 2)));
  expect(found).toMatchObject([
    { x: 20, class_id: 1, score: 1, said: true },
    { x: 50, class_id: 2 },
  ]);
  expect(againstEachOther(null, label(at(0)))).toHaveLength(1);
  expect(againstEachOther(label(at(0)), null)).toEqual([]);
});

it("tells nothing of proposals that were shown to others", () => {
  const kept = { ...at(0), origin: "adjusted" as const, proposal: 4 };
  expect(plainly({ label: label(kept) }).label).toMatchObject({
    boxes: [{ origin: "drawn", proposal: null }],
    threshold: null,
  });
});
