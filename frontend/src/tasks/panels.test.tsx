import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import type { LabelClass } from "../api/types";
import { VerdictBar } from "../features/labeling/grid/VerdictBar";
import { ScaleButtons } from "../media/StageTools";
import { Panel as BoxesPanel } from "./boxes/Panel";
import { Panel as ClassesPanel } from "./classification/Panel";
import { Panel as RankingPanel } from "./instructions/Panel";

afterEach(cleanup);

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
