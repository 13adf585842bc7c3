import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { Dialog } from "./Dialog";

afterEach(cleanup);

function open() {
  const onClose = vi.fn();
  render(
    <QueryClientProvider client={new QueryClient()}>
      <Dialog title="Add weights" onClose={onClose}>
        <input aria-label="Name" />
        <input aria-label="File" type="file" />
      </Dialog>
    </QueryClientProvider>,
  );
  return { onClose, dialog: screen.getByRole("dialog") };
}

it("is closed by a click beside it, and not by what was selected up to there", () => {
  const { onClose, dialog } = open();
  fireEvent.pointerDown(screen.getByLabelText("Name"));
  fireEvent.click(dialog);
  expect(onClose).not.toHaveBeenCalled();
  fireEvent.pointerDown(dialog);
  fireEvent.click(dialog);
  expect(onClose).toHaveBeenCalledOnce();
});

it("is closed by Escape, and not by choosing no file", () => {
  const { onClose, dialog } = open();
  const cancel = { bubbles: true, cancelable: true };
  fireEvent(screen.getByLabelText("File"), new Event("cancel", cancel));
  expect(onClose).not.toHaveBeenCalled();
  fireEvent(dialog, new Event("cancel", cancel));
  expect(onClose).toHaveBeenCalledOnce();
});

const CLOSED = { open: false, waits: false };

it.each([
  ["before it closes", [{ open: true, waits: false }, CLOSED]],
  ["as it closes", [CLOSED]],
  ["soon after", [{ open: false, waits: true }, CLOSED]],
])("leaves the focus beside what opened it where that goes %s", async (_, steps) => {
  const client = new QueryClient();
  const page = ({ open, waits }: typeof CLOSED) => (
    <QueryClientProvider client={client}>
      <button type="button">Elsewhere</button>
      <section>
        <button type="button">Choose a file</button>
        <ul>{waits && <button type="button">Continue</button>}</ul>
      </section>
      {open && <Dialog title="Import?">{null}</Dialog>}
    </QueryClientProvider>
  );
  const { rerender } = render(page({ open: false, waits: true }));
  screen.getByText("Continue").focus();
  rerender(page({ open: true, waits: true }));
  for (const step of steps) rerender(page(step));
  await waitFor(() => expect(document.activeElement).toBe(screen.getByText("Choose a file")));
});
