import { cleanup, render, screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, expect, it, vi } from "vitest";
import { Button } from "./Button";

afterEach(cleanup);

it("keeps the focus while it is busy, and does nothing", async () => {
  const [onClick, onSubmit, onAround] = [vi.fn(), vi.fn(), vi.fn()];
  const form = (busy: boolean) => (
    // biome-ignore lint/a11y/noStaticElementInteractions: as a row around it is.
    // biome-ignore lint/a11y/useKeyWithClickEvents: as a row around it is.
    <div onClick={onAround}>
      <form onSubmit={onSubmit}>
        <input aria-label="Name" />
        <Button type="submit" busy={busy} disabled={busy} onClick={onClick}>
          Save
        </Button>
      </form>
    </div>
  );
  const { rerender } = render(form(false));
  const button = screen.getByRole("button", { name: "Save" });
  const user = userEvent.setup();
  button.focus();
  rerender(form(true));
  expect(document.activeElement).toBe(button);
  expect(button.matches(":disabled")).toBe(false);
  expect(button.getAttribute("aria-disabled")).toBe("true");
  await user.keyboard("{Enter}");
  await user.click(button);
  screen.getByLabelText("Name").focus();
  await user.keyboard("{Enter}");
  expect([onClick, onSubmit, onAround].map(({ mock }) => mock.calls)).toEqual([[], [], []]);
});
