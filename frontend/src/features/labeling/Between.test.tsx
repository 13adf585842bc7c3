import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import { NetworkError } from "../../api/errors";
import { t } from "../../strings";
import { Stopped } from "./Between";

afterEach(cleanup);

const show = (sending: "idle" | "retrying") =>
  render(<Stopped error={new NetworkError()} sending={sending} onRetry={() => {}} />);

it("says calmly that nothing is lost when the images that have come are used up without a network", () => {
  show("retrying");
  expect(screen.getByText(t.label.stuckText)).toBeDefined();
  expect(screen.queryByRole("alert")).toBeNull();
  cleanup();
  show("idle");
  expect(screen.getByRole("status").textContent).toContain(t.common.tryingAgain);
  expect(screen.queryByRole("alert")).toBeNull();
});
