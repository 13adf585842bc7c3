import { renderHook } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { usePainted } from "./usePainted";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

it("tells what was on screen when a key was pressed, not what is put in place since", () => {
  const { result, rerender } = renderHook(({ value }) => usePainted(value), {
    initialProps: { value: "old" },
  });
  vi.advanceTimersByTime(100);
  const pressed = performance.now();
  rerender({ value: "new" });
  // Not painted yet, however late it is asked.
  expect(result.current(pressed)).toBe("old");
  expect(result.current(performance.now())).toBe("old");
  vi.advanceTimersToNextFrame();
  expect(result.current(performance.now())).toBe("new");
  // A key that was pressed before, and whose event comes late.
  expect(result.current(pressed)).toBe("old");
});

it("skips what was never painted", () => {
  const { result, rerender } = renderHook(({ value }) => usePainted(value), {
    initialProps: { value: 1 },
  });
  vi.advanceTimersByTime(100);
  for (const value of [2, 3, 4, 5, 6, 7]) rerender({ value });
  vi.advanceTimersToNextFrame();
  expect(result.current(performance.now())).toBe(7);
});
