import { beforeEach, describe, expect, it } from "vitest";
import { type Choice, LABELED } from "../choice";
import { arm, draw } from "./commands";
import { BoxEditor } from "./editor";
import type { Memory } from "./memory";
import { boxOf } from "./model";
import { submit } from "./suggestions";

const CLASSES = [{ id: 7 }, { id: 8 }];
const OOD: Choice = { verdict: "ood", classId: null };

let memory: Memory;
let sent: Choice[];

beforeEach(() => {
  sessionStorage.clear();
  sent = [];
  memory = { armed: null, threshold: 0.3, copied: [], last: [], crosshair: true };
});

type Opened = { given?: Choice; classes?: typeof CLASSES; queryId?: number; inReview?: boolean };

/** The same image each time, with what was said of it; or another. */
function open({ given, classes = CLASSES, queryId = 7, inReview = false }: Opened = {}) {
  return new BoxEditor({
    queryId,
    draft: `${inReview ? "review" : "label"}:${queryId}`,
    image: { width: 200, height: 100 },
    classes,
    proposals: [],
    given: given ?? null,
    memory,
    inReview,
    send: (choice) => sent.push(choice),
  });
}

const boxes = (editor: BoxEditor) => editor.getView().doc.boxes;

function drawn(): BoxEditor {
  const editor = open();
  draw(editor, { x: 1, y: 2, w: 30, h: 20 });
  return editor;
}

it("brings back with its image what was not taken", () => {
  drawn().close();
  const again = open();
  expect(boxes(again)).toHaveLength(1);
  again.undo();
  expect(boxes(again)).toEqual([]);
  again.redo();
  submit(again);
  again.close();
  expect(sent).toHaveLength(1);
  expect(boxes(open())).toHaveLength(1);
  again.settled(sent[0]?.label);
  expect(boxes(open())).toEqual([]);
});

it("brings back none of a class that is removed meanwhile, and has no other in hand next", () => {
  const editor = drawn();
  arm(editor, 8);
  draw(editor, { x: 50, y: 2, w: 30, h: 20 });
  editor.close();
  const left = { classes: [{ id: 7 }] };
  const again = open(left);
  expect(boxes(again)).toMatchObject([{ class_id: 7 }]);
  expect(again.getView()).toMatchObject({ armed: null, notice: { say: "removed", count: 1 } });
  expect(open({ ...left, queryId: 8 }).getView().notice).toEqual({ say: "no_class" });
});

describe("what was drawn before another verdict", () => {
  it("is gone on with where that was put off, and not where it was taken", () => {
    drawn().close();
    expect(boxes(open())).toHaveLength(1);
    const editor = drawn();
    // The page goes on before what was said is known to be kept, or after.
    editor.close();
    editor.settled();
    editor.close();
    const again = open({ given: OOD });
    expect([boxes(again).length, again.isChanged]).toEqual([0, false]);
  });

  it("is one step away where it was taken, until something is said by it", () => {
    const editor = drawn();
    editor.settled();
    const again = open({ given: OOD });
    expect(again.getView().notice).toEqual({ say: "before", count: 1 });
    // Another verdict of the same image leaves it there.
    again.settled();
    const third = open({ given: OOD });
    expect(third.redo()).toBe(true);
    expect([boxes(third).length, third.isChanged]).toEqual([1, true]);
    submit(third);
    third.settled(sent[0]?.label);
    const label = sent[0]?.label ?? null;
    expect(open({ given: { verdict: LABELED, classId: null, label } }).redo()).toBe(false);
  });

  it("is not lost by a look at it, or by a slip that is taken back", () => {
    drawn().settled();
    const again = open({ given: OOD });
    again.redo();
    again.undo();
    again.close();
    const third = open({ given: OOD });
    draw(third, { x: 1, y: 2, w: 9, h: 9 });
    third.undo();
    third.close();
    const last = open({ given: OOD });
    draw(last, { x: 1, y: 2, w: 8, h: 8 });
    last.undo();
    // First the slip, then what was there before it; and nothing more.
    expect([last.redo(), last.redo(), last.redo()]).toEqual([true, true, false]);
    expect(boxes(last)).toMatchObject([{ w: 30 }]);
  });

  it("is what was said before, too, and in reviews only what was made of that", () => {
    const label = {
      type: "boxes" as const,
      boxes: [boxOf({ x: 1, y: 2, w: 3, h: 4 }, 7)],
      threshold: null,
    };
    const given = { verdict: LABELED, classId: null, label };
    open({ given }).settled();
    expect(open({ given: OOD }).redo()).toBe(true);
    const review = () => open({ given, inReview: true });
    review().settled();
    expect(review().redo()).toBe(false);
  });
});

it("forgets what is not to be said, also as the page goes elsewhere", () => {
  const editor = drawn();
  editor.settled(null, false);
  editor.close();
  const again = open();
  expect([boxes(again), again.getView().canRedo]).toEqual([[], false]);
});
