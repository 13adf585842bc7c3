import { render, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { t } from "../strings";
import { RoundChip } from "./RoundChip";

it("says of the round after a failed one that it waits", () => {
  const next = { state: "selecting" } as const;
  const { rerender } = render(<RoundChip round={next} rounds={[{ state: "failed" }, next]} />);
  expect(screen.getByText(t.projects.roundWaits)).toBeTruthy();
  rerender(<RoundChip round={next} rounds={[{ state: "closing" }, next]} />);
  expect(screen.getByText(t.projects.roundStates.selecting)).toBeTruthy();
});
