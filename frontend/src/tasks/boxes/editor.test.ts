import { beforeEach, describe, expect, it } from "vitest";
import { type Choice, LABELED } from "../choice";
import { arm, choose, cycle, draw, nudge, place, remove, toggleFlag, toggleTool } from "./commands";
import { clip, copy, duplicate, paste, repeatLast } from "./copies";
import { BoxEditor } from "./editor";
import { Gestures } from "./gestures";
import type { Memory } from "./memory";
import { type Box, boxesOf, boxOf, type Proposal, thresholdOf } from "./model";
import { Scene } from "./scene";
import { keep, keepAll, setThreshold, submit, submitNone } from "./suggestions";

const IMAGE = { width: 200, height: 100 };
const CLASSES = [{ id: 7 }, { id: 8 }];
const PROPOSALS: Proposal[] = [
  { class_id: 7, x: 10, y: 10, w: 30, h: 20, score: 0.9 },
  { class_id: 8, x: 60, y: 10, w: 30, h: 20, score: 0.5 },
  { class_id: 7, x: 120, y: 10, w: 30, h: 20, score: 0.2 },
];

let memory: Memory;
let sent: Choice[];
let lastQuery = 0;

function open(proposals: Proposal[] = [], given: Choice | null = null) {
  lastQuery += 1;
  return new BoxEditor({
    queryId: lastQuery,
    draft: `label:${lastQuery}`,
    image: IMAGE,
    classes: CLASSES,
    proposals,
    given,
    memory,
    send: (choice) => sent.push(choice),
  });
}

const boxes = (editor: BoxEditor) => editor.getView().doc.boxes;
const sentBoxes = (): Box[] => [...(boxesOf(sent.at(-1)?.label) ?? [])];

beforeEach(() => {
  sessionStorage.clear();
  sent = [];
  memory = { armed: null, threshold: 0.3, copied: [], last: [], crosshair: true };
});

describe("drawing", () => {
  it("makes boxes of the class in hand, one after the other", () => {
    const editor = open();
    draw(editor, { x: 1.25, y: 2.5, w: 30, h: 20 });
    arm(editor, 8);
    draw(editor, { x: 5, y: 6, w: 10, h: 10 });
    expect(boxes(editor).map(({ class_id }) => class_id)).toEqual([7, 8]);
    submit(editor);
    expect(sent).toHaveLength(1);
    expect(sent[0]).toMatchObject({ verdict: LABELED, classId: null });
    expect(sentBoxes()[0]).toEqual({
      class_id: 7,
      ...{ x: 1.25, y: 2.5, w: 30, h: 20 },
      ...{ occluded: false, truncated: false, difficult: false, crowd: false },
      ...{ origin: "drawn", proposal: null, given: null },
    });
  });

  it("gives a box that was chosen another class, but not the one just drawn", () => {
    const editor = open();
    const box = draw(editor, { x: 1, y: 2, w: 30, h: 20 });
    arm(editor, 8);
    expect(boxes(editor)[0]?.class_id).toBe(7);
    choose(editor, { kind: "box", id: box?.id ?? 0 });
    arm(editor, 8);
    expect(boxes(editor)[0]?.class_id).toBe(8);
  });

  it("refuses what nobody can mean, and doubts what is small", () => {
    const editor = open();
    expect(draw(editor, { x: 1, y: 1, w: 0.4, h: 9 })).toBeNull();
    expect(editor.getView().notice?.say).toBe("too_small");
    expect(draw(editor, { x: 201, y: 1, w: 9, h: 9 })).toBeNull();
    expect(draw(editor, { x: 1, y: 1, w: 2, h: 9 })).not.toBeNull();
    expect(editor.getView().notice?.say).toBe("small");
    expect(boxes(editor)).toHaveLength(1);
  });

  it("takes back and gives again every step", () => {
    const editor = open();
    draw(editor, { x: 1, y: 2, w: 30, h: 20 });
    nudge(editor, { x: 1, y: 0 }, false);
    nudge(editor, { x: 0, y: 10 }, true);
    toggleFlag(editor, "occluded");
    duplicate(editor);
    remove(editor);
    const [box] = boxes(editor);
    expect(box).toMatchObject({ x: 2, y: 2, w: 30, h: 30, occluded: true });
    for (let step = 0; step < 6; step += 1) expect(editor.undo()).toBe(true);
    expect(boxes(editor)).toEqual([]);
    expect(editor.undo()).toBe(false);
    for (let step = 0; step < 6; step += 1) editor.redo();
    expect(boxes(editor)).toEqual([box]);
  });
});

describe("what is sent", () => {
  it("is never nothing by accident", () => {
    const suggested = open([{ class_id: 7, x: 1, y: 2, w: 30, h: 20, score: 0.9 }]);
    submit(suggested);
    expect(suggested.getView().notice).toEqual({ say: "none_to_send", count: 1 });
    const editor = open();
    submit(editor);
    expect(sent).toEqual([]);
    submitNone(editor);
    expect(sent[0]?.label).toEqual({ type: "boxes", boxes: [], threshold: null });
    const other = open();
    draw(other, { x: 1, y: 2, w: 30, h: 20 });
    submitNone(other);
    expect(sent).toHaveLength(1);
    expect(other.getView().notice?.say).toBe("not_empty");
  });

  it("tells what became of each proposal", () => {
    const editor = open(PROPOSALS);
    choose(editor, { kind: "proposal", index: 0 });
    keep(editor, true);
    expect(editor.getView().chosen).toEqual({ kind: "proposal", index: 1 });
    place(editor, { x: 61, y: 10, w: 30, h: 20 });
    draw(editor, { x: 5, y: 60, w: 20, h: 20 });
    setThreshold(editor, 0.1);
    choose(editor, { kind: "proposal", index: 2 });
    remove(editor);
    submit(editor);
    expect(sentBoxes().map(({ origin, proposal }) => [origin, proposal])).toEqual([
      ["kept", 0],
      ["adjusted", 1],
      ["drawn", null],
    ]);
    expect(thresholdOf(sent[0]?.label)).toBe(0.1);
  });

  it("calls a proposal kept that was moved and moved back", () => {
    const editor = open(PROPOSALS);
    choose(editor, { kind: "proposal", index: 0 });
    nudge(editor, { x: 1, y: 0 }, false);
    nudge(editor, { x: -1, y: 0 }, false);
    keepAll(editor);
    submit(editor);
    expect(sentBoxes().map(({ origin }) => origin)).toEqual(["kept", "kept"]);
  });

  it("leaves no proposal out without a word", () => {
    const editor = open(PROPOSALS);
    draw(editor, { x: 5, y: 60, w: 20, h: 20 });
    submit(editor);
    expect(sent).toEqual([]);
    expect(editor.getView().notice).toEqual({ say: "undecided", count: 2 });
    submit(editor);
    expect(sentBoxes()).toHaveLength(1);
    const other = open(PROPOSALS);
    submit(other, true);
    expect(sentBoxes().map(({ origin }) => origin)).toEqual(["kept", "kept"]);
  });

  it("drops the numbers of a file only where a box was moved", () => {
    const given = { format: "coco", values: ["1", "2", "3.0", "4"] };
    const [kept, gone] = [1, 50].map((x) => ({
      class_id: 7,
      ...{ x, y: 2, w: 3, h: 4 },
      ...{ occluded: false, truncated: false, difficult: false, crowd: false },
      ...{ origin: "imported" as const, proposal: null, given },
    }));
    const label = { type: "boxes" as const, boxes: [kept, gone] as Box[], threshold: null };
    const editor = open([], { verdict: LABELED, classId: null, label });
    const [, second] = boxes(editor);
    choose(editor, { kind: "box", id: second?.id ?? 0 });
    nudge(editor, { x: 1, y: 0 }, false);
    submit(editor);
    expect(sentBoxes()[0]).toEqual(kept);
    expect(sentBoxes()[1]).toMatchObject({ given: null, origin: "drawn", x: 51 });
  });
});

it("leaves the next image the class in hand, and its boxes", () => {
  const editor = open();
  arm(editor, 8);
  draw(editor, { x: 1, y: 2, w: 30, h: 20 });
  toggleFlag(editor, "crowd");
  submit(editor);
  const next = open();
  expect(next.getView().armed).toBe(8);
  repeatLast(next);
  expect(boxes(next)[0]).toMatchObject({ x: 1, y: 2, crowd: true, origin: "drawn" });
});

it("copies in pixels, and shows that there are two", () => {
  const editor = open();
  draw(editor, { x: 1.5, y: 2, w: 30, h: 20 });
  copy(editor);
  paste(editor);
  const [first, second] = boxes(editor);
  expect(second).toMatchObject({ w: 30, h: 20 });
  expect(second?.x).not.toBe(first?.x);
  const next = open();
  paste(next);
  expect(boxes(next)[0]).toMatchObject({ x: 1.5, y: 2, w: 30, h: 20 });
});

it("tells what of a copy there is no room for, and of what there is no class", () => {
  const editor = open();
  for (const x of [-50, 10, 300])
    memory.copied = [...memory.copied, boxOf({ x, y: 2, w: 30, h: 20 }, 7)];
  paste(editor);
  expect(boxes(editor)).toHaveLength(1);
  expect(editor.getView().notice).toEqual({ say: "added", count: 1, left: 2 });
  memory.copied = [boxOf({ x: 10, y: 2, w: 30, h: 20 }, 9)];
  paste(editor);
  expect(editor.getView().notice).toEqual({ say: "added", count: 0, left: 1 });
  expect(boxes(editor)).toHaveLength(1);
});

it("cuts off at the edge only on demand", () => {
  const editor = open();
  draw(editor, { x: -10, y: -5, w: 30, h: 20 });
  expect(boxes(editor)[0]).toMatchObject({ x: -10, y: -5 });
  clip(editor);
  expect(boxes(editor)[0]).toMatchObject({ x: 0, y: 0, w: 20, h: 15 });
});

it("never shows what a model is least sure of, of which there are hundreds", () => {
  const noise = { class_id: 7, x: 1, y: 1, w: 9, h: 9, score: 0.06 };
  const editor = open([...PROPOSALS, noise]);
  expect(editor.getView().below).toEqual([2]);
  setThreshold(editor, 0);
  expect(editor.getView().threshold).toBe(0.1);
  expect(editor.getView().open).toEqual([0, 1, 2]);
});

it("takes an object for one thing: what else it was taken for goes with what is kept", () => {
  const [cat, dog] = [
    { class_id: 7, x: 10, y: 10, w: 30, h: 20, score: 0.9 },
    { class_id: 8, x: 11, y: 10, w: 30, h: 20, score: 0.6 },
  ];
  const within = { class_id: 7, x: 12, y: 12, w: 8, h: 8, score: 0.5 };
  const editor = open([cat, dog, within]);
  choose(editor, { kind: "proposal", index: 0 });
  keep(editor, true);
  expect(editor.getView().chosen).toEqual({ kind: "proposal", index: 2 });
  editor.undo();
  choose(editor, { kind: "proposal", index: 1 });
  keep(editor);
  expect(boxes(editor).map(({ class_id }) => class_id)).toEqual([8]);
  expect(editor.getView().open).toEqual([2]);
  editor.undo();
  expect(editor.getView().open).toEqual([0, 1, 2]);
  keepAll(editor);
  expect(boxes(editor).map(({ proposal }) => proposal)).toEqual([0, 2]);
  expect(editor.getView().open).toEqual([]);
  // Of what two people drew both stand.
  expect(open([cat, { ...dog, said: true }]).getView().open).toEqual([0, 1]);
});

it("shows proposals by the slider, and goes through boxes and proposals alike", () => {
  const editor = open(PROPOSALS);
  expect([editor.getView().open, editor.getView().below]).toEqual([[0, 1], [2]]);
  setThreshold(editor, 0.6);
  expect([editor.getView().open, editor.getView().below]).toEqual([[0], [1, 2]]);
  draw(editor, { x: 100, y: 10, w: 20, h: 20 });
  choose(editor, null);
  expect(cycle(editor, 1)).toMatchObject({ x: 10 });
  expect(cycle(editor, 1)).toMatchObject({ x: 100 });
  expect(cycle(editor, 1)).toMatchObject({ x: 10 });
});

describe("a pointer", () => {
  function pointer(editor: BoxEditor) {
    const scene = new Scene(IMAGE);
    scene.frame = { width: 400, height: 200 };
    scene.view = { k: 2, x: 0, y: 0 };
    const gestures = new Gestures(editor, scene);
    const drag = (
      from: [number, number],
      to: [number, number],
      reach: "mouse" | "touch" = "mouse",
    ) => {
      gestures.down({ id: 1, at: { x: from[0], y: from[1] }, reach, pans: false });
      gestures.move(1, { x: to[0], y: to[1] }, true);
      gestures.up(1, true);
    };
    return { scene, gestures, drag };
  }

  it("draws inside another box, and pulls the chosen one by its handles", () => {
    const editor = open();
    const { drag } = pointer(editor);
    drag([20, 20], [300, 180]);
    drag([100, 60], [140, 90]);
    expect(boxes(editor)).toHaveLength(2);
    expect(boxes(editor)[1]).toMatchObject({ x: 50, y: 30, w: 20, h: 15 });
    drag([140, 90], [160, 100]);
    expect(boxes(editor)[1]).toMatchObject({ x: 50, y: 30, w: 30, h: 20 });
  });

  it("chooses and moves without a class in hand", () => {
    const editor = open();
    const { drag } = pointer(editor);
    drag([20, 20], [120, 120]);
    arm(editor, null);
    choose(editor, null);
    drag([60, 40], [80, 40]);
    expect(boxes(editor)[0]).toMatchObject({ x: 20, y: 10, w: 50, h: 50 });
  });

  it("that is two fingers enlarges the image, and draws nothing", () => {
    const editor = open();
    const { gestures, scene } = pointer(editor);
    gestures.down({ id: 1, at: { x: 100, y: 100 }, reach: "touch", pans: false });
    gestures.move(1, { x: 120, y: 120 }, true);
    gestures.down({ id: 2, at: { x: 200, y: 100 }, reach: "touch", pans: false });
    gestures.move(2, { x: 300, y: 100 }, true);
    gestures.up(2, true);
    gestures.up(1, true);
    expect(boxes(editor)).toEqual([]);
    expect(scene.view.k).toBeGreaterThan(2);
  });
});

it("has no boxes of a class that is removed, and sends none, and has them again with it", () => {
  const editor = open();
  draw(editor, { x: 1, y: 2, w: 30, h: 20 });
  arm(editor, 8);
  draw(editor, { x: 50, y: 2, w: 30, h: 20 });
  editor.setClasses([{ id: 7 }]);
  expect(editor.getView()).toMatchObject({
    ...{ armed: null, chosen: null, notice: { say: "removed", count: 1 } },
    doc: { boxes: [{ class_id: 7 }] },
  });
  toggleTool(editor);
  expect(editor.getView()).toMatchObject({ armed: null, notice: { say: "no_class" } });
  submit(editor);
  expect(sentBoxes()).toMatchObject([{ class_id: 7 }]);
  editor.setClasses(CLASSES);
  expect(boxes(editor)).toHaveLength(2);
});
