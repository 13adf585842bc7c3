import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import type { PruneResult } from "../../api/results";
import { ObjectiveCard } from "./ObjectiveCard";

const result = (extras?: Record<string, number>, objective: [number, number][] = [[1, 0.9]]) =>
  ({ kept: 1200, objective, ...(extras && { extras }) }) as PruneResult;

const figures = () =>
  screen
    .getAllByRole("definition")
    .map((one) => [one.previousElementSibling?.textContent, one.textContent]);

afterEach(cleanup);

it("tells what was reached, what no choice exceeds, and the share that is certain", () => {
  // 0.9378 is not told as 93.8: less would then be reached than is said.
  const extras = { objective: 412.34, upper_bound: 439.7, guaranteed: 0.9378 };
  render(<ObjectiveCard result={result(extras)} />);
  expect(figures()).toEqual([
    ["Objective reached", "412.3"],
    ["Upper bound of the optimum", "439.7"],
    ["Guaranteed", "at least 93.7\u00a0% of the optimum"],
  ]);
  expect(screen.getByText(/none of 1,200 labels gets beyond 439.7/)).toBeTruthy();
});

it("says so where nothing better is possible", () => {
  render(<ObjectiveCard result={result({ objective: 5, upper_bound: 5, guaranteed: 1 })} />);
  expect(figures().at(-1)).toEqual(["Guaranteed", "the optimum"]);
});

it("promises nothing for a method without a guarantee, or an older result", () => {
  for (const extras of [{ objective: 0.9 }, undefined]) {
    render(<ObjectiveCard result={result(extras)} />);
    expect(figures()).toEqual([["Objective reached", "0.9"]]);
    cleanup();
  }
  render(<ObjectiveCard result={result({}, [])} />);
  expect(screen.queryByRole("definition")).toBeNull();
});
