import { expect, test } from "vitest";
import { everyPage } from "./everyPage";

test("reads a list to its end, whatever its pages hold", async () => {
  const asked: (number | null)[] = [];
  const pages = [
    { items: [1, 2], next_cursor: 2 },
    { items: [], next_cursor: 7 },
    { items: [8], next_cursor: null },
  ];
  const found = await everyPage(async (cursor) => {
    asked.push(cursor);
    return pages[asked.length - 1] as { items: number[]; next_cursor: number | null };
  });
  expect(found).toEqual({ items: [1, 2, 8] });
  expect(asked).toEqual([null, 2, 7]);
});
