import { act, cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import { RankingEditor } from "../../tasks/instructions/editor";
import { BeforeHint } from "./BeforeHint";

afterEach(() => {
  cleanup();
  sessionStorage.clear();
});

it("says that Enter keeps what was said only where it does", () => {
  const members = [41, 42].map((example_id) => ({
    example_id,
    fields: { instruction: "Task", responses: ["Done."] },
  }));
  const start = { queryId: 5, draft: "5", members, send: () => {} };
  const work = new RankingEditor({ ...start, given: { verdict: "unsure", classId: null } });
  render(<BeforeHint keys="Enter keeps it" work={work} />);
  const isSaid = () => screen.queryByText("Enter keeps it") !== null;
  expect(isSaid()).toBe(true);
  act(() => work.press(42));
  expect(isSaid()).toBe(false);
  act(() => work.undo());
  expect(isSaid()).toBe(true);
});
