import { render, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { SpentMeter } from "./Meter";

it("has a bar only where a budget has an end", () => {
  const { rerender } = render(<SpentMeter label="Round 1" round={{ spent: 30, budget: 40 }} />);
  expect(screen.getByRole("progressbar").getAttribute("aria-valuenow")).toBe("75");
  rerender(<SpentMeter label="Round 1" round={{ spent: 30, budget: 1e9 }} />);
  expect(screen.queryByRole("progressbar")).toBeNull();
  expect(screen.getByText("30")).toBeTruthy();
});
