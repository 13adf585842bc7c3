import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import type { LabelClass } from "../api/types";
import { VerdictBar } from "../features/labeling/grid/VerdictBar";
import { ScaleButtons } from "../media/StageTools";
import { draw } from "./boxes/commands";
import { BoxEditor } from "./boxes/editor";
import { Message } from "./boxes/Message";
import { Panel as BoxesPanel } from "./boxes/Panel";
import { Panel as ClassesPanel } from "./classification/Panel";
import { Panel as RankingPanel } from "./instructions/Panel";

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
  sessionStorage.clear();
});

const nothing = () => {};
const step = { label: "Step", onClick: nothing };
const classes = ["cat", "dog"].map(
  (name, index): LabelClass => ({
    ...{ id: index + 1, name, position: index, hotkey: index === 0 ? "1" : null },
    ...{ colour: "#000000", guide: "" },
  }),
);
const panel = {
  ...{ classes, work: null, given: null, flashed: null, disabled: false, canUndo: true },
  ...{ onAnswer: nothing, onUndo: nothing, onFind: nothing },
};

it.each([
  ["classes", <ClassesPanel key="classes" {...panel} />],
  ["boxes", <BoxesPanel key="boxes" {...panel} />],
  ["rankings", <RankingPanel key="rankings" {...panel} />],
  [
    "the grid",
    <VerdictBar
      key="grid"
      {...{ classes, selected: 2, canUndo: true }}
      {...{ onJudge: nothing, onUndo: nothing, onClear: nothing }}
    />,
  ],
  [
    "the size of what is shown",
    <ScaleButtons
      key="scale"
      {...{ label: "Zoom", percent: 100, smaller: step, reset: step, larger: step }}
    />,
  ],
])("of %s leave the keys with the page: a click and then Enter is no verdict more", (_, shown) => {
  render(shown);
  const buttons = screen.getAllByRole<HTMLButtonElement>("button").filter((one) => !one.disabled);
  expect(buttons.length).toBeGreaterThan(2);
  // What stays unprevented takes the focus.
  expect(buttons.filter((one) => fireEvent.mouseDown(one)).map((one) => one.textContent)).toEqual(
    [],
  );
});

it("of classes offer what a model suggests, and say how sure it is", () => {
  const answer = vi.fn();
  const suggested = { classId: 2, name: "dog", score: 0.93, model: "v8" };
  render(<ClassesPanel {...panel} suggested={suggested} onAnswer={answer} />);
  expect(screen.getByText("v8 suggests")).toBeTruthy();
  fireEvent.click(screen.getByRole("button", { name: /^dog, 93\s?%/ }));
  expect(answer).toHaveBeenCalledWith({ verdict: "label", classId: 2 });
});

it("of boxes name no keys where there are only fingers", () => {
  vi.stubGlobal("matchMedia", () => ({ matches: true }));
  const memory = { armed: 1, threshold: 0.3, copied: [], last: [], crosshair: true };
  const image = { width: 90, height: 90 };
  const start = { queryId: 5, draft: "5", image, classes, proposals: [], given: null, memory };
  const before = new BoxEditor({ ...start, send: nothing });
  draw(before, { x: 1, y: 2, w: 30, h: 20 });
  before.settled();
  const editor = new BoxEditor({ ...start, send: nothing });
  render(<Message editor={editor} view={editor.getView()} classes={classes} />);
  expect(screen.getByRole("status").textContent).toMatch(/1 box here.*“Do it again”/);
  render(<BoxesPanel {...panel} work={editor} />);
  expect(screen.getByText(/Drag over the image/).textContent).not.toMatch(/Shift/);
});
