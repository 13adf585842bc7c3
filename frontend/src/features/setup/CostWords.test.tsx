import { cleanup, render } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import type { Project, Settings } from "../../api/types";
import { CostWords } from "./CostWords";

afterEach(cleanup);

const counts = { pool: 30 } as Project["counts"];

const said = (budget: number, price: number, overlap = 1) => {
  const cost = { mode: "fixed", c_in: price, c_ood: price };
  const settings = { budget, cost, overlap } as Settings;
  render(<CostWords project={{ task: "classification", counts }} settings={settings} />);
  return document.body.textContent;
};

it.each([
  ["of one each", 40, 1, 1, "10"],
  ["that are cheap", 10, 0.1, 1, "1"],
  ["that are dear", 200, 5, 1, "50"],
  ["of two people", 60, 1, 2, "20"],
])(
  "advises on a budget of verdicts %s that leaves most of the pool",
  (_, budget, price, overlap, fewer) => {
    expect(said(budget, price, overlap)).toContain(`With a budget of ${fewer} or less`);
  },
);

it("advises on nothing where a round leaves images", () => {
  expect(said(29, 1)).not.toContain("or less");
});
