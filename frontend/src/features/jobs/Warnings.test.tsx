import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import type { PruneResult } from "../../api/results";
import { notesOf, Warnings } from "./Warnings";

const warning = "The warm-up names next to nothing.";
const result = { warnings: [warning], notes: [warning, "One warm-up only."] } as PruneResult;

const shown = (of: PruneResult) =>
  render(
    <QueryClientProvider client={new QueryClient()}>
      <Warnings result={of} />
    </QueryClientProvider>,
  );

it("warns apart from the other notes, and once", () => {
  shown(result);
  expect(screen.getByRole("alert").textContent).toBe(warning);
  expect(notesOf(result)).toEqual(["One warm-up only."]);
});

it("knows results of before there were warnings", () => {
  const before = { notes: ["One warm-up only."] } as PruneResult;
  const { container } = shown(before);
  expect(container.textContent).toBe("");
  expect(notesOf(before)).toEqual(before.notes);
});
