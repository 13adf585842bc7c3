import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { Menu } from "./Menu";

afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

it.each([
  [254, 484, "-102px"],
  [16, 246, ""],
  // Wider than the window: it begins where the window does.
  [20, 420, "-12px"],
])("keeps its list from %i to %i inside a window of 390 pixels", (left, right, translate) => {
  // jsdom lays nothing out.
  vi.spyOn(Element.prototype, "getBoundingClientRect").mockReturnValue({ left, right } as DOMRect);
  vi.spyOn(document.documentElement, "clientWidth", "get").mockReturnValue(390);
  render(
    <Menu label="Export">
      <a href="/csv">CSV</a>
    </Menu>,
  );
  fireEvent.click(screen.getByRole("button", { name: "Export" }));
  expect(screen.getByRole("link").parentElement?.style.translate).toBe(translate);
});

it("gives the focus back to its button after a choice by key, and takes it from nobody else", () => {
  const onChoose = vi.fn();
  render(
    <>
      <Menu label="Export">
        <button type="button" onClick={onChoose}>
          CSV
        </button>
      </Menu>
      <input aria-label="Search" />
    </>,
  );
  const opener = screen.getByRole("button", { name: "Export" });
  const choose = () => {
    fireEvent.click(opener);
    const choice = screen.getByRole("button", { name: "CSV" });
    choice.focus();
    fireEvent.click(choice);
  };
  choose();
  expect(onChoose).toHaveBeenCalledOnce();
  expect(screen.queryByRole("button", { name: "CSV" })).toBeNull();
  expect(document.activeElement).toBe(opener);
  onChoose.mockImplementation(() => screen.getByLabelText("Search").focus());
  choose();
  expect(document.activeElement).toBe(screen.getByLabelText("Search"));
});
