import { expect, it } from "vitest";

it("has IndexedDB", () => {
  expect(indexedDB).toBeDefined();
});
