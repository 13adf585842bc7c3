import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import type { Suggestion } from "../../../api/types";
import { draw } from "../../../tasks/boxes/commands";
import { BoxEditor } from "../../../tasks/boxes/editor";
import type { Choice } from "../../../tasks/choice";
import { BoxDecisions } from "./BoxDecisions";

const label = (boxes: number) => ({
  type: "boxes",
  boxes: Array.from({ length: boxes }, (_, x) => ({ class_id: 1, x, y: 0, w: 9, h: 9 })),
});

const nothing = () => {};

function show(...counts: number[]) {
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

it("has a button for nothing at all, once the boxes are off the image, if neither label says so", () => {
  vi.stubGlobal("matchMedia", () => ({ matches: false }));
  const sent: Choice[] = [];
  const image = { width: 200, height: 100 };
  const memory = { armed: null, threshold: 0.3, copied: [], last: [], crosshair: true };
  const given = { verdict: "label", classId: null, label: label(0) } as Choice;
  const send = (choice: Choice) => sent.push(choice);
  const start = { queryId: 3, draft: "review:3", image, classes: [{ id: 1 }], proposals: [] };
  const work = new BoxEditor({ ...start, given, memory, inReview: true, send });
  const common = { prepared: "ready", kind: "disagreements", flashed: null } as const;
  const asked = (given_label: unknown) => (
    <BoxDecisions
      {...common}
      classes={[]}
      suggestion={{ id: 3, given_label, suggested_label: null, votes: [] } as never}
      work={work}
      canUndo={false}
      onDecide={nothing}
      onUndo={nothing}
      onFind={nothing}
    />
  );
  const { rerender } = render(asked(label(0)));
  expect(screen.queryByRole("button", { name: /^Nothing in it/ })).toBeNull();
  rerender(asked(label(1)));
  const none = screen.getByRole("button", { name: /^Nothing in it/ });
  act(() => draw(work, { x: 1, y: 2, w: 30, h: 20 }));
  expect((none as HTMLButtonElement).disabled).toBe(true);
  act(() => work.undo());
  fireEvent.click(none);
  expect(sent).toEqual([
    expect.objectContaining({ label: expect.objectContaining({ boxes: [] }) }),
  ]);
});
