import { cleanup, fireEvent, renderHook } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import type { LabelClass, Project } from "../../api/types";
import { taskViewOf } from "../../tasks/registry";
import type { LabelSession } from "./queue/session";
import { useDeskKeys } from "./useDeskKeys";

const classOf = (id: number): LabelClass => ({
  id,
  name: `class ${id}`,
  colour: "#000000",
  hotkey: id > 10 ? `shift+${id - 10}` : `${id % 10}`,
  position: id,
  guide: "",
});
const classesUpTo = (count: number) =>
  Array.from({ length: count }, (_, index) => classOf(index + 1));

/** What keys ask for on a desk where that many classes have theirs. */
function press(key: KeyboardEventInit, count = 7) {
  const [answer, keep, onPage] = [vi.fn(), vi.fn(), vi.fn()];
  const task = taskViewOf({ task: "classification", medium: "image" } as Project);
  const classes = classesUpTo(count);
  renderHook(() =>
    useDeskKeys({
      session: {} as LabelSession,
      task,
      shownAt: () => ({ classes, version: 1 }),
      answer: ({ verdict, classId }) => answer(classId ?? verdict),
      keep: (version) => keep(`kept as of ${version}`),
      onPage,
    }),
  );
  fireEvent.keyDown(document.body, key);
  return [answer, keep, onPage].flatMap(({ mock }) => mock.calls).flat();
}

afterEach(cleanup);

it.each([
  ["Slash as on a German keyboard", { key: "/", code: "Digit7", shiftKey: true }, ["find"]],
  ["? as on a Russian keyboard", { key: "?", code: "Digit7", shiftKey: true }, ["help"]],
  ["a digit as on a French keyboard", { key: "7", code: "Digit7", shiftKey: true }, [7]],
  ["Enter for what is said or suggested", { key: "Enter" }, ["kept as of 1"]],
  ["its place there", { key: "è", code: "Digit7" }, [7]],
  ["a letter as on a Korean keyboard", { key: "ㅡ", code: "KeyM" }, ["note"]],
  ["a sign that says nothing here", { key: "!", code: "Digit1", shiftKey: true }, []],
])("takes what is typed for what it is: %s", (_, key, asked) => {
  expect(press(key)).toEqual(asked);
});

it("gives a class with Shift its key, whatever the layout has there", () => {
  expect(press({ key: "/", code: "Digit7", shiftKey: true }, 17)).toEqual([17]);
});

it.each([
  ["@", "KeyQ", []],
  ["[", "Digit7", []],
  ["/", "KeyQ", ["find"]],
])("reads %s that AltGr types as nothing else", (key, code, asked) => {
  expect(press({ key, code, modifierAltGraph: true })).toEqual(asked);
});
