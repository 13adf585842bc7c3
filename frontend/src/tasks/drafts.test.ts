import { cleanup, renderHook } from "@testing-library/react";
import { afterEach, beforeEach, expect, it } from "vitest";
import { draw } from "./boxes/commands";
import { copy } from "./boxes/copies";
import { useEditor } from "./boxes/useEditor";
import { useRanking } from "./instructions/useRanking";
import type { WorkPlace } from "./spec";

beforeEach(() => sessionStorage.clear());
afterEach(cleanup);

const members = [41, 42].map((example_id) => ({
  example_id,
  fields: { instruction: "Task", responses: ["Done."] },
}));
const current = {
  subject: { query_id: 5, example_id: 41, image_url: "/5", width: 90, height: 90, members },
  given: null,
} as unknown as WorkPlace["current"];
const classes = [{ id: 7 }] as WorkPlace["classes"];
const place = (userId: number): WorkPlace => ({
  ...{ projectId: 1, userId, classes, current, answer: () => {} },
});

it("are of whoever drew, and of nobody who signs in next", () => {
  const boxesOf = (userId: number) => {
    const { result } = renderHook(() => useEditor(place(userId)));
    return result.current?.getView().doc.boxes.length;
  };
  const { result, unmount } = renderHook(() => useEditor(place(1)));
  if (!result.current) throw new Error("no editor");
  draw(result.current, { x: 1, y: 2, w: 30, h: 20 });
  copy(result.current);
  unmount();
  expect([boxesOf(2), boxesOf(1)]).toEqual([0, 1]);
  const { result: other } = renderHook(() => useEditor(place(2)));
  expect(other.current?.memory.copied).toEqual([]);
});

it("are of whoever ranked, and of nobody who signs in next", () => {
  const orderOf = (userId: number) => {
    const { result } = renderHook(() => useRanking(place(userId)));
    return result.current?.getView().ranking.order;
  };
  const { result } = renderHook(() => useRanking(place(1)));
  result.current?.press(42);
  expect([orderOf(2), orderOf(1)]).toEqual([[], [[42]]]);
});
