import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import type { Example, Project } from "../../api/types";
import { PageOfMedium } from "../../media/MediumContext";
import { switchShortcuts } from "../../ui/shortcuts";
import { PoolGrid } from "./PoolGrid";
import type { Picked } from "./useSelection";

const project = { id: 7, medium: "image", classes: [] } as unknown as Project;
const examples = [{ id: 11 }, { id: 12 }] as Example[];

function show() {
  const [toggle, onSimilar] = [vi.fn(), vi.fn()];
  const selection = { ids: new Set(), all: false, toggle } as unknown as Picked;
  render(
    <PageOfMedium medium="image">
      <PoolGrid
        project={project}
        examples={examples}
        selection={selection}
        image={null}
        sort="pool_index"
        marked={[]}
        searched={2}
        more={false}
        error={null}
        isLoading={false}
        onMore={() => {}}
        onOpen={() => {}}
        onSimilar={onSimilar}
      />
    </PageOfMedium>,
  );
  return { grid: screen.getByRole("listbox"), toggle, onSimilar };
}

afterEach(() => {
  cleanup();
  switchShortcuts(true);
});

it.each([
  ["Latin letters", "j", "x", "s"],
  ["Korean letters", "ㅓ", "ㅌ", "ㄴ"],
  ["caps lock", "J", "X", "S"],
])("goes by the keys that it names with %s", (_, next, pick, similar) => {
  const { grid, toggle, onSimilar } = show();
  fireEvent.keyDown(document.body, { key: next, code: "KeyJ" });
  expect(document.activeElement).toBe(grid);
  fireEvent.keyDown(grid, { key: next, code: "KeyJ" });
  fireEvent.keyDown(grid, { key: pick, code: "KeyX" });
  expect(toggle).toHaveBeenLastCalledWith(1);
  fireEvent.keyDown(grid, { key: similar, code: "KeyS" });
  expect(onSimilar).toHaveBeenCalledWith([12]);
});

it("leaves letters alone where shortcuts are switched off, and goes by arrows still", () => {
  switchShortcuts(false);
  const { grid, toggle, onSimilar } = show();
  fireEvent.keyDown(document.body, { key: "j", code: "KeyJ" });
  expect(document.activeElement).toBe(document.body);
  fireEvent.keyDown(grid, { key: "x", code: "KeyX" });
  fireEvent.keyDown(grid, { key: "s", code: "KeyS" });
  expect([toggle, onSimilar].map(({ mock }) => mock.calls)).toEqual([[], []]);
  fireEvent.keyDown(grid, { key: "ArrowRight", code: "ArrowRight" });
  fireEvent.keyDown(grid, { key: " ", code: "Space" });
  expect(toggle).toHaveBeenCalledWith(1);
});
