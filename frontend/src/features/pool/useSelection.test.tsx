import { act, renderHook } from "@testing-library/react";
import { expect, it } from "vitest";
import type { Example, Filters } from "../../api/types";
import { useSelection } from "./useSelection";

const examples = [{ id: 1 }, { id: 2 }] as Example[];
const cats = { class_id: 3, split: "pool" } as Filters;

it("forgets what was chosen where other examples match, by whatever way", () => {
  const { result, rerender } = renderHook((filters: Filters) => useSelection(examples, filters), {
    initialProps: cats,
  });
  act(() => result.current.toggle(0));
  act(() => result.current.pickAll());
  // The same filters, read from the address once more.
  rerender({ ...cats });
  expect([result.current.all, result.current.ids.size]).toEqual([true, 1]);
  rerender({ ...cats, class_id: 4 });
  expect([result.current.all, result.current.ids.size]).toEqual([false, 0]);
});
