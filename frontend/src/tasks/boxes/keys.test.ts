import { describe, expect, it } from "vitest";
import { actionFor, commandFor } from "./keys";

const classOf = (id: number, hotkey: string) => ({
  id,
  hotkey,
  name: `class ${id}`,
  colour: "#123456",
  guide: "",
  position: id,
});
const classes = [classOf(1, "1"), classOf(2, "shift+1"), classOf(3, "o")];
const box = { kind: "box", id: 1 } as const;
const proposal = { kind: "proposal", index: 0 } as const;

type Given = {
  shift?: boolean;
  ctrl?: boolean;
  alt?: boolean;
  code?: string;
  chosen?: typeof box | typeof proposal | null;
};

const action = (key: string, { shift, ctrl, alt, code, chosen = null }: Given = {}) =>
  actionFor(
    {
      key,
      code: code ?? (/^[a-z]$/i.test(key) ? `Key${key.toUpperCase()}` : key),
      shiftKey: shift ?? false,
      ctrlKey: ctrl ?? false,
      metaKey: false,
      altKey: alt ?? false,
    },
    { classes, chosen, isEnlarged: false },
  );

describe("the keys of the boxes", () => {
  it("take a class into the hand, also one with a letter that goes with Shift elsewhere", () => {
    expect(action("1")).toEqual({ do: "arm", classId: 1 });
    expect(action("!", { shift: true, code: "Digit1" })).toEqual({ do: "arm", classId: 2 });
    expect(action("o")).toEqual({ do: "arm", classId: 3 });
    expect(action("O", { shift: true })).toEqual({ do: "flag", flag: "occluded" });
  });

  it("mean the same where letters are not Latin", () => {
    expect(action("ㅐ", { code: "KeyO" })).toEqual({ do: "arm", classId: 3 });
    expect(action("ㅒ", { shift: true, code: "KeyO" })).toEqual({ do: "flag", flag: "occluded" });
    expect(action("ㅋ", { ctrl: true, code: "KeyZ" })).toEqual({ do: "undo" });
  });

  it("move the chosen box, and leave arrows to the page without one", () => {
    const by = { x: 1, y: 0 };
    expect(action("ArrowRight", { chosen: box })).toEqual({ do: "nudge", by, pulls: false });
    expect(action("ArrowRight", { chosen: box, shift: true })).toEqual({
      do: "nudge",
      by: { x: 10, y: 0 },
      pulls: false,
    });
    expect(action("ArrowRight", { chosen: box, ctrl: true })).toMatchObject({ pulls: true });
    expect(action("ArrowRight")).toBeNull();
  });

  it("keep a proposal with the space bar, which is for moving the image otherwise", () => {
    expect(action(" ", { chosen: proposal })).toEqual({ do: "keep" });
    expect(action(" ", { chosen: box })).toBeNull();
  });

  it("are signs, where they are printed, and their places where other signs are", () => {
    const less = { do: "threshold", by: -0.05 };
    expect(action("[", { code: "BracketLeft" })).toEqual(less);
    expect(action("ü", { code: "BracketLeft" })).toEqual(less);
    expect(action("[", { code: "BracketRight" })).toEqual(less);
    expect(action("]", { code: "Backslash" })).toEqual({ do: "threshold", by: 0.05 });
    expect(action("`", { code: "BracketLeft", shift: true })).toEqual({ do: "hide" });
    expect(action("Dead", { code: "Backquote" })).toEqual({ do: "hide" });
    expect(action("Hankaku", { code: "Backquote" })).toBeNull();
  });

  it("step back and forth", () => {
    expect(action("z", { ctrl: true })).toEqual({ do: "undo" });
    expect(action("Z", { ctrl: true, shift: true })).toEqual({ do: "redo" });
    expect(action("y", { ctrl: true })).toEqual({ do: "redo" });
  });

  it("send, and never the same for what is not the same", () => {
    expect(action("Enter")).toEqual({ do: "submit" });
    expect(action("Enter", { shift: true })).toEqual({ do: "keepAllAndSubmit" });
    expect(action("N", { shift: true })).toEqual({ do: "none" });
    expect(commandFor("x")).toMatchObject({ choice: { verdict: "ood" } });
    expect(commandFor("q")).toMatchObject({ choice: { verdict: "unsure" } });
    expect(commandFor("s")).toMatchObject({ choice: { verdict: "skip" } });
  });

  it("leave the page where it is when the last box has been deleted", () => {
    expect(action("Backspace")).toEqual({ do: "remove" });
    expect(commandFor("backspace")).toBeNull();
  });

  it("leave to the browser what is the browser's", () => {
    expect(action("r", { ctrl: true })).toBeNull();
    expect(action("ArrowLeft", { alt: true })).toBeNull();
  });
});
