import { expect, it } from "vitest";
import { Storing } from "./storing";

it("goes step after step once the verdict is stored", async () => {
  const storing = new Storing();
  const went: number[] = [];
  const to = (place: number) => storing.go(() => went.push(place) > 0);
  const stored = storing.store(async () => void to(1));
  to(2);
  to(3);
  expect(went).toEqual([]);
  await stored;
  expect(went).toEqual([1, 2, 3]);
  to(4);
  expect(went).toEqual([1, 2, 3, 4]);
});

it("goes nowhere from a verdict that was not stored", async () => {
  const storing = new Storing();
  const went: number[] = [];
  const stored = storing.store(() => Promise.reject(new Error("disk full")));
  storing.go(() => went.push(1) > 0);
  await expect(stored).rejects.toThrow("disk full");
  expect(went).toEqual([]);
  await storing.store(async () => {});
  expect([storing.busy, went]).toEqual([false, []]);
});
