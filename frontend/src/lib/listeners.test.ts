import { expect, it, vi } from "vitest";
import { Listeners } from "./listeners";

it("tells each what there is to tell, until they have heard enough", () => {
  const listeners = new Listeners<[string, number]>();
  const [first, second] = [vi.fn(), vi.fn()];
  const leave = listeners.subscribe(first);
  listeners.subscribe(second);
  expect(listeners.size).toBe(2);
  listeners.tell("step", 1);
  leave();
  listeners.tell("step", 2);
  expect(first.mock.calls).toEqual([["step", 1]]);
  expect(second.mock.calls).toEqual([
    ["step", 1],
    ["step", 2],
  ]);
});

it("tells nobody who comes while it tells, nor who goes", () => {
  const listeners = new Listeners();
  const late = vi.fn();
  const gone = vi.fn();
  let leave = () => {};
  listeners.subscribe(() => {
    leave();
    listeners.subscribe(late);
  });
  leave = listeners.subscribe(gone);
  listeners.tell();
  expect([late, gone].map(({ mock }) => mock.calls.length)).toEqual([0, 0]);
  listeners.tell();
  expect(late).toHaveBeenCalledOnce();
});
