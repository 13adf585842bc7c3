import { act, renderHook } from "@testing-library/react";
import { expect, it } from "vitest";
import type { Job } from "../../api/types";
import { useShownPlan } from "./useShownPlan";

const plan = { groups: [] };
const job = (id: number, isMade: boolean) =>
  ({
    id,
    dry_run: true,
    state: isMade ? "succeeded" : "running",
    result: isMade ? { plan } : null,
  }) as unknown as Job;

const shownOf = (plans: Job[]) => {
  const hook = renderHook((jobs: Job[]) => useShownPlan(jobs), { initialProps: plans });
  act(() => hook.result.current.show(1));
  act(() => hook.result.current.show(2));
  return hook;
};

// The API lists the newest first.
it.each([
  ["sent", 1],
  ["sent last", 2],
])("keeps the one that is shown while another is made: the one %s", (_, first) => {
  const other = 3 - first;
  const hook = shownOf([job(2, first === 2), job(1, first === 1)]);
  expect(hook.result.current.shown?.id).toBe(first);
  hook.rerender([job(2, true), job(1, true)]);
  expect(hook.result.current.shown?.id).toBe(first);
  act(() => hook.result.current.hide(first));
  expect(hook.result.current.shown?.id).toBe(other);
  act(() => hook.result.current.hide(other));
  expect(hook.result.current.shown).toBeUndefined();
});

it("shows in the order of sending those that are made at once", () => {
  const hook = shownOf([job(2, true), job(1, true)]);
  expect(hook.result.current.shown?.id).toBe(1);
});

it("shows the plan that is expected once it is made, and opens none under hands that type", () => {
  const hook = renderHook(({ jobs, isHeld }) => useShownPlan(jobs, true, isHeld), {
    initialProps: { jobs: [] as Job[], isHeld: false },
  });
  hook.rerender({ jobs: [job(1, false)], isHeld: false });
  expect(hook.result.current.shown).toBeUndefined();
  hook.rerender({ jobs: [job(1, true)], isHeld: true });
  expect(hook.result.current.shown).toBeUndefined();
  hook.rerender({ jobs: [job(1, true)], isHeld: false });
  expect(hook.result.current.shown?.id).toBe(1);
  // What is typed into the plan itself closes it for nobody.
  hook.rerender({ jobs: [job(1, true)], isHeld: true });
  expect(hook.result.current.shown?.id).toBe(1);
  act(() => hook.result.current.hide(1));
  hook.rerender({ jobs: [job(2, true), job(1, true)], isHeld: false });
  expect(hook.result.current.shown).toBeUndefined();
});
