import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { CopyButton } from "./CopyButton";

const command = vi.fn<() => boolean>();
let within: Element | null = null;

beforeEach(() => {
  command.mockReset();
  within = null;
  // jsdom has none.
  document.execCommand = () => {
    within = document.activeElement?.parentElement ?? null;
    return command();
  };
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function clipboard(writes: (() => Promise<void>) | null) {
  const found = writes ? { writeText: writes } : undefined;
  Object.defineProperty(navigator, "clipboard", { value: found, configurable: true });
}

it.each([
  ["by the clipboard", () => Promise.resolve(), false, "Copied"],
  ["by a command where it may not", () => Promise.reject(new Error("no")), true, "Copied"],
  ["by a command where there is none", null, true, "Copied"],
  ["by neither", null, false, "Not copied: mark it yourself"],
] as const)("copies %s, and says what came of it", async (_, writes, commands, said) => {
  command.mockReturnValue(commands);
  render(
    <dialog open>
      <CopyButton text="secret" />
    </dialog>,
  );
  const user = userEvent.setup();
  clipboard(writes);
  await user.click(screen.getByRole("button"));
  expect(screen.getByRole("button").textContent).toBe(said);
  // What lies outside of an open dialog takes no selection.
  if (command.mock.calls.length > 0) expect(within?.tagName).toBe("DIALOG");
  expect(document.activeElement).toBe(screen.getByRole("button"));
});

it("says for as long what came of the second time as of the first", async () => {
  vi.useFakeTimers();
  clipboard(() => Promise.resolve());
  render(<CopyButton text="secret" />);
  const button = screen.getByRole("button");
  const pass = (milliseconds: number) => act(() => vi.advanceTimersByTimeAsync(milliseconds));
  const copy = async () => {
    fireEvent.click(button);
    await pass(0);
  };
  await copy();
  await pass(3_000);
  await copy();
  await pass(3_000);
  expect(button.textContent).toBe("Copied");
  await pass(2_000);
  expect(button.textContent).toBe("Copy");
});
