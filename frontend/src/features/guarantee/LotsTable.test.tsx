import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import type { Lot } from "../../api/guarantee";
import type { LabelClass } from "../../api/types";
import { LotsTable } from "./LotsTable";

afterEach(cleanup);

const classes = ["cat", "dog"].map((name, id) => ({ id, name })) as unknown as LabelClass[];
const lot = (id: number, class_id: number, bound: number | null) =>
  ({
    ...{ id, class_id, bound, state: bound === null ? "people" : "passed", size: 100 },
    ...{ band: { low: 0.9 - id / 100, high: 0.9 }, drawn: 20, wrong: 0, unsure: 0 },
  }) as unknown as Lot;
const lots = [lot(1, 0, 0.02), lot(2, 0, 0.02), lot(3, 0, 0.02), lot(4, 0, null), lot(5, 1, 0.02)];

it("says once of the groups of a class what they hold together", () => {
  render(<LotsTable lots={lots} classes={classes} target={0.02} apart />);
  const cells = screen.getAllByText("2").map((one) => one.closest("td"));
  expect(cells.map((cell) => cell?.rowSpan)).toEqual([3, 1]);
  expect(screen.getByText(/of a single group more may be wrong/)).toBeTruthy();
});
