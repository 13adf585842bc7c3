import { cleanup, fireEvent, renderHook } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { LabelClass } from "../../api/types";
import type { Choice } from "../choice";
import { arm, choose, draw } from "./commands";
import { BoxEditor } from "./editor";
import { Gestures } from "./gestures";
import { boxesOf } from "./model";
import { Scene } from "./scene";
import { useEditorKeys } from "./useEditorKeys";

const IMAGE = { width: 200, height: 100 };
const CLASSES = [7, 8].map((id) => ({ id, hotkey: `${id}` })) as LabelClass[];
const PROPOSALS = [10, 100].map((x, index) => ({
  ...{ class_id: 7, x, y: 10, w: 40, h: 40, score: 0.9 - index / 10 },
}));

beforeEach(() => sessionStorage.clear());
afterEach(cleanup);

/** An image under one hand at the pointer and one at the keys. */
function open(proposals = PROPOSALS) {
  const sent: Choice[] = [];
  const editor = new BoxEditor({
    ...{ queryId: 1, draft: "1", image: IMAGE, classes: CLASSES, proposals, given: null },
    memory: { armed: null, threshold: 0.3, copied: [], last: [], crosshair: true },
    send: (choice) => sent.push(choice),
  });
  const scene = new Scene(IMAGE);
  scene.frame = IMAGE;
  const gestures = new Gestures(editor, scene);
  const parts = { editor, scene, gestures: { current: gestures }, frame: { current: null } };
  renderHook(() => useEditorKeys({ ...parts, classes: CLASSES, covered: false }));
  return {
    ...{ editor, sent },
    boxes: () => editor.getView().doc.boxes,
    /** Returns whether the page and the browser have the key, too. */
    press: (key: string, init: KeyboardEventInit = {}) =>
      fireEvent.keyDown(document.body, { key, ...init }),
    down: (x: number, y: number) =>
      gestures.down({ id: 1, at: { x, y }, reach: "mouse", pans: false }),
    move: (x: number, y: number) => gestures.move(1, { x, y }, true),
    up: () => gestures.up(1, true),
  };
}

describe("a key during a drag", () => {
  it("is of the suggestion that is dragged, and the next is chosen as it is", () => {
    const { editor, boxes, press, down, move, up } = open();
    arm(editor, null);
    choose(editor, { kind: "proposal", index: 0 });
    down(30, 30);
    move(35, 38);
    press(" ");
    move(90, 90);
    up();
    expect(boxes()).toMatchObject([{ x: 15, y: 18, proposal: 0, origin: "adjusted" }]);
    expect(editor.getView()).toMatchObject({ open: [1], chosen: { kind: "proposal", index: 1 } });
  });

  it("before the pointer has moved leaves it nothing to drag", () => {
    const { editor, boxes, press, down, move, up } = open();
    arm(editor, null);
    choose(editor, { kind: "proposal", index: 0 });
    down(30, 30);
    press(" ");
    move(60, 60);
    up();
    expect(boxes()).toMatchObject([{ x: 10, y: 10, origin: "kept" }]);
    expect(editor.getView().open).toEqual([1]);
  });

  it("sends the box that is drawn", () => {
    const { sent, boxes, press, down, move, up } = open([]);
    down(20, 20);
    move(50, 60);
    press("Enter");
    up();
    expect(boxesOf(sent[0]?.label)).toMatchObject([{ x: 20, y: 20, w: 30, h: 40 }]);
    expect(boxes()).toHaveLength(1);
  });

  it("that is of a class is the box's, which is drawn on", () => {
    const { boxes, press, down, move, up } = open([]);
    down(20, 20);
    move(50, 60);
    press("8");
    move(60, 80);
    up();
    expect(boxes()).toMatchObject([{ class_id: 8, x: 20, y: 20, w: 40, h: 60 }]);
  });
});

it("copies boxes, and lets the browser copy the text that is selected", () => {
  const { editor, press } = open([]);
  draw(editor, { x: 1, y: 2, w: 30, h: 20 });
  expect(press("c", { ctrlKey: true })).toBe(true);
  expect(editor.memory.copied).toMatchObject([{ x: 1, y: 2 }]);
  expect(press("v", { ctrlKey: true })).toBe(false);
});

it("hides the boxes as long as the key is down, wherever the sign is", () => {
  const { editor, press } = open([]);
  press("`", { code: "BracketLeft", shiftKey: true });
  expect(editor.getView().hidden).toBe(true);
  fireEvent.keyUp(document.body, { key: "@", code: "BracketLeft" });
  expect(editor.getView().hidden).toBe(false);
});
