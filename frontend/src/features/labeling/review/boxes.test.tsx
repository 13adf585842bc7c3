import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import type { Suggestion } from "../../../api/types";
import { BoxDecisions } from "./BoxDecisions";

const label = (boxes: number) => ({
  type: "boxes",
  boxes: Array.from({ length: boxes }, (_, x) => ({ class_id: 1, x, y: 0, w: 9, h: 9 })),
});

function show(...counts: number[]) {
  const nothing = () => {};
  const votes = counts.map((count, one) => ({ class_id: null, label: label(one), count }));
  const two = { id: 3, given_label: label(1), suggested_label: label(2), decision: null, votes };
  render(
    <BoxDecisions
      suggestion={counts.length > 0 ? (two as unknown as Suggestion) : null}
      prepared="ready"
      classes={[]}
      kind="disagreements"
      flashed={null}
      canUndo={true}
      onDecide={nothing}
      onUndo={nothing}
      onFind={nothing}
    />,
  );
}

afterEach(cleanup);

it("says that most said so only where more did than others", () => {
  show(2, 1);
  expect(screen.getByText("Most said")).toBeTruthy();
  cleanup();
  show(1, 1);
  expect(screen.getByText("Some said")).toBeTruthy();
  expect(screen.getByText("Others said")).toBeTruthy();
});

it("compares nothing where nothing is left, and takes back still", () => {
  show();
  expect(screen.queryByText(/Solid:/)).toBeNull();
  expect(screen.queryByText("Others said")).toBeNull();
  expect(screen.getByRole("button", { name: "Undo" })).toBeTruthy();
});
