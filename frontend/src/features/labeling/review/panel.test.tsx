import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import type { LabelClass, Suggestion } from "../../../api/types";
import { DecisionPanel } from "./DecisionPanel";
import { Spoken } from "./Spoken";

const classOf = (id: number, name: string): LabelClass => ({
  id,
  name,
  colour: "#000000",
  hotkey: String(id),
  position: id,
  guide: "",
});
const classes = [classOf(1, "cat"), classOf(2, "dog")];
const suggestion = (id: number): Suggestion => ({
  id,
  example_id: id,
  rank: id,
  image_url: "",
  width: 8,
  height: 8,
  name: "",
  given_class_id: 1,
  suggested_class_id: 2,
  confidence: 0.9,
  quality: null,
  decision: null,
});

afterEach(cleanup);

it("names the arrows beside the digits of the two labels", () => {
  const nothing = () => {};
  render(
    <DecisionPanel
      suggestion={suggestion(1)}
      classes={classes}
      flashed={null}
      canUndo={false}
      onDecide={nothing}
      onUndo={nothing}
    />,
  );
  const keysOf = (name: RegExp) =>
    screen.getByRole("button", { name }).getAttribute("aria-keyshortcuts");
  expect(keysOf(/^Label now/)).toBe("1 ArrowLeft");
  expect(keysOf(/^Suggested/)).toBe("2 ArrowRight");
});

it("says the decision and the pair that comes next, the same pair too", () => {
  const { container, rerender } = render(
    <Spoken current={suggestion(1)} previous={null} classes={classes} />,
  );
  const region = container.querySelector("[aria-live=polite]");
  const said = region?.querySelector("span");
  rerender(<Spoken current={suggestion(2)} previous="keep" classes={classes} />);
  expect(region?.textContent).toBe("Last: label kept Label now cat, suggested dog.");
  expect(region?.querySelector("span")).not.toBe(said);
});
