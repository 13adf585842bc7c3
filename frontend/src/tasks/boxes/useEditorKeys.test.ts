import { cleanup, fireEvent, renderHook } from "@testing-library/react";
import { afterEach, beforeEach, expect, it } from "vitest";
import { draw } from "./commands";
import { BoxEditor } from "./editor";
import { idOfChosen } from "./Overlay";
import { Scene } from "./scene";
import { useEditorKeys } from "./useEditorKeys";

const IMAGE = { width: 160, height: 80 };

beforeEach(() => {
  window.matchMedia = () => ({ matches: true }) as MediaQueryList;
  sessionStorage.clear();
  document.body.innerHTML = '<div tabindex="0"></div><button>Undo</button>';
});
afterEach(cleanup);

/** An image with the keys of its boxes. */
function open() {
  const frame = document.querySelector("div") as HTMLDivElement;
  const editor = new BoxEditor({
    ...{ queryId: 1, draft: "1", image: IMAGE, classes: [{ id: 7 }], proposals: [], given: null },
    memory: { armed: null, threshold: 0.3, copied: [], last: [], crosshair: true },
    send: () => {},
  });
  const scene = new Scene(IMAGE);
  scene.resize({ width: 600, height: 400 });
  const parts = { editor, scene, gestures: { current: null }, frame: { current: frame } };
  renderHook(() => useEditorKeys({ ...parts, classes: [], covered: false }));
  /** Whether the boxes take a key that goes to what has the focus. */
  const takes = (key: string, init: KeyboardEventInit = {}) =>
    !fireEvent.keyDown(document.activeElement ?? document.body, { key, ...init });
  return { editor, frame, takes };
}

it("are left by Escape: Tab is the browser's then, until it comes to the boxes again", () => {
  const { editor, frame, takes } = open();
  draw(editor, { x: 1, y: 2, w: 30, h: 20 });
  expect(takes("Tab")).toBe(true);
  expect(document.activeElement).toBe(frame);
  for (let step = 0; document.activeElement === frame; step += 1) {
    expect(step).toBeLessThan(5);
    takes("Escape");
  }
  expect(takes("Tab")).toBe(false);
  expect(takes("Tab", { shiftKey: true })).toBe(false);
  frame.focus();
  expect(takes("Tab")).toBe(true);
});

it("can be left from the page itself, and gone back to by whatever is done to boxes", () => {
  const { editor, takes } = open();
  draw(editor, { x: 1, y: 2, w: 30, h: 20 });
  for (let step = 0; takes("Escape"); step += 1) expect(step).toBeLessThan(5);
  expect(takes("Tab")).toBe(false);
  takes("V", { shiftKey: true });
  expect(takes("Tab")).toBe(true);
});

it("put a box where there is none, to be moved and made larger", () => {
  const { editor, frame, takes } = open();
  expect(takes("B", { shiftKey: true })).toBe(true);
  expect(editor.chosenBox).toMatchObject({ class_id: 7, x: 70, y: 30, w: 20, h: 20 });
  expect(document.activeElement).toBe(frame);
  const first = idOfChosen(editor.getView());
  takes("ArrowRight");
  takes("ArrowDown", { ctrlKey: true });
  expect(editor.chosenBox).toMatchObject({ x: 71, y: 30, w: 20, h: 21 });
  takes("B", { shiftKey: true });
  // What is chosen now is told anew.
  expect(idOfChosen(editor.getView())).not.toBe(first);
  takes("Tab");
  expect(idOfChosen(editor.getView())).toBe(first);
});
