import { cleanup, renderHook } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import type { Work } from "../../tasks/spec";
import { leaveFor } from "../../ui/leaving";
import { useWorkInHand } from "./useWorkInHand";

afterEach(cleanup);

it("asks whoever closes the tab, and tells the queue, while something is not said", () => {
  const queue = { isWorkedAt: () => false, inHand: () => (queue.isWorkedAt() ? [1] : []) };
  const work = { isChanged: false };
  const { rerender } = renderHook((current: Work) => useWorkInHand(queue, { current }), {
    initialProps: null as Work,
  });
  // Whether the browser asks.
  const asks = () => !window.dispatchEvent(new Event("beforeunload", { cancelable: true }));
  expect([asks(), queue.isWorkedAt()]).toEqual([false, false]);
  rerender(work as Work);
  expect([asks(), queue.isWorkedAt()]).toEqual([false, false]);
  work.isChanged = true;
  expect([asks(), queue.isWorkedAt()]).toEqual([true, true]);
  vi.stubGlobal("location", { assign: () => {} });
  // Somebody has signed out in another tab.
  leaveFor("/login");
  expect(asks()).toBe(false);
});
