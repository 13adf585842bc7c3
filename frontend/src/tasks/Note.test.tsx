import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { t } from "../strings";
import { keepNote, readNote } from "./drafts";
import { Note } from "./Note";
import { useNote } from "./useNote";

const NAME = "1:label:5";

beforeEach(() => {
  sessionStorage.clear();
  keepNote(NAME, null);
  vi.stubGlobal("matchMedia", () => ({ matches: false }));
});

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

function Shown({ name = NAME, given = null }: { name?: string; given?: string | null }) {
  const note = useNote(name, given);
  return (
    <>
      <button type="button">image</button>
      <Note note={note} />
    </>
  );
}

const field = () => screen.getByRole<HTMLTextAreaElement>("textbox", { name: t.note.name });
const open = (name: string | RegExp = t.note.name) =>
  fireEvent.click(screen.getByRole("button", { name }), { detail: 1 });
const write = (value: string) => fireEvent.change(field(), { target: { value } });

it("is written, kept with Enter, and gives the keys back", () => {
  render(<Shown />);
  screen.getByText("image").focus();
  open();
  expect(document.activeElement).toBe(field());
  write("blurred");
  // That which an input method composes is not whole yet.
  fireEvent.keyDown(field(), { key: "Enter", isComposing: true });
  fireEvent.keyDown(field(), { key: "Enter", shiftKey: true });
  fireEvent.keyDown(field(), { key: "Enter" });
  expect(screen.queryByRole("textbox")).toBeNull();
  expect(document.activeElement).toBe(screen.getByText("image"));
  expect(readNote(NAME)).toBe("blurred");
});

it("has what was there again with Escape", () => {
  render(<Shown given="before" />);
  open(t.note.change("before"));
  write("other");
  expect(readNote(NAME)).toBe("other");
  fireEvent.keyDown(field(), { key: "Escape" });
  expect(readNote(NAME)).toBeNull();
  expect(screen.getByRole("button", { name: t.note.change("before") })).toBeDefined();
});

it("is closed once another example is there, and says how much room is left", () => {
  const { rerender } = render(<Shown />);
  open();
  write("x".repeat(450));
  expect(screen.getByText(t.note.left(50))).toBeDefined();
  rerender(<Shown name="1:label:6" />);
  expect(screen.queryByRole("textbox")).toBeNull();
  rerender(<Shown />);
  expect(screen.queryByRole("textbox")).toBeNull();
});
