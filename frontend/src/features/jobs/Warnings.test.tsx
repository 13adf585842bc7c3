import { render, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import type { PruneResult } from "../../api/results";
import { notesOf, Warnings } from "./Warnings";

const warning = "The warm-up names next to nothing.";
const result = { warnings: [warning], notes: [warning, "One warm-up only."] } as PruneResult;

it("warns apart from the other notes, and once", () => {
  render(<Warnings result={result} />);
  expect(screen.getByRole("alert").textContent).toBe(warning);
  expect(notesOf(result)).toEqual(["One warm-up only."]);
});

it("knows results of before there were warnings", () => {
  const before = { notes: ["One warm-up only."] } as PruneResult;
  const { container } = render(<Warnings result={before} />);
  expect(container.textContent).toBe("");
  expect(notesOf(before)).toEqual(before.notes);
});
