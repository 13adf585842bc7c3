import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import { NetworkError } from "../../api/errors";
import { t } from "../../strings";
import { Between } from "./Between";

afterEach(cleanup);

const view = { phase: "failed", current: null, error: new NetworkError() } as const;

const show = (sending: "idle" | "retrying") =>
  render(<Between view={view} sending={sending} onRetry={() => {}} />);

it("says calmly that nothing is lost when the images that have come are used up without a network", () => {
  show("retrying");
  expect(screen.getByText(t.label.stuckText)).toBeDefined();
  expect(screen.queryByRole("alert")).toBeNull();
  cleanup();
  show("idle");
  expect(screen.getByRole("status").textContent).toContain(t.common.tryingAgain);
  expect(screen.queryByRole("alert")).toBeNull();
});
