import { beforeEach, describe, expect, it } from "vitest";
import type { Choice } from "../choice";
import { RankingEditor, type RankingStart } from "./editor";
import { actionFor, commandFor } from "./keys";
import type { Member } from "./model";
import { NOTHING } from "./ranking";

const members: Member[] = [41, 42, 43, 44].map((example_id) => ({
  example_id,
  fields: { instruction: `Task ${example_id}`, responses: ["Done."] },
}));

let sent: Choice[] = [];
const open = (start: Partial<RankingStart> = {}): RankingEditor =>
  new RankingEditor({
    queryId: 7,
    draft: "label:7",
    members,
    given: null,
    send: (choice) => sent.push(choice),
    ...start,
  });

beforeEach(() => {
  sent = [];
  sessionStorage.clear();
});

/** Keys as they are pressed, one letter each. */
function type(editor: RankingEditor, keys: string): void {
  for (const key of keys) {
    const action = actionFor({
      key: key === "⏎" ? "Enter" : key,
      code: /\d/.test(key) ? `Digit${key}` : "",
      ...{ shiftKey: false, ctrlKey: false, metaKey: false, altKey: false },
    });
    if (action?.do === "press") editor.pressPlace(action.index);
    else if (action?.do === "blame") editor.toggleBlaming();
    else if (action?.do === "tie") editor.tie();
    else if (action?.do === "submit") editor.submit();
  }
}

const labels = () => sent.map(({ label }) => label);
const ranked = (order: number[][], wrong: number[] = []) => ({
  type: "instructions",
  order,
  wrong,
});

describe("an order by keys", () => {
  it("is sent as it was pressed, the last one by itself", () => {
    type(open(), "314⏎");
    expect(labels()).toEqual([ranked([[43], [41], [44], [42]])]);
  });

  it("has ties and wrong ones", () => {
    type(open(), "31tx2⏎");
    expect(labels()).toEqual([ranked([[43, 41], [44]], [42])]);
  });

  it("is not sent while nothing is said, and asks once before the rest is tied", () => {
    const editor = open();
    type(editor, "⏎⏎");
    expect(sent).toEqual([]);
    expect(editor.getView().notice).toEqual({ say: "nothing" });
    type(editor, "2⏎");
    expect(sent).toEqual([]);
    expect(editor.getView().notice).toEqual({ say: "open", count: 3 });
    type(editor, "⏎");
    expect(labels()).toEqual([ranked([[42], [41, 43, 44]])]);
  });

  it("asks anew after another step", () => {
    const editor = open();
    type(editor, "2⏎1⏎");
    expect(sent).toEqual([]);
    expect(editor.getView().notice).toEqual({ say: "open", count: 2 });
  });

  it("may say that all are wrong", () => {
    type(open(), "x1x2x3x4⏎");
    expect(labels()).toEqual([ranked([], [41, 42, 43, 44])]);
  });

  it("takes a key for one example only: X is over after it", () => {
    const editor = open();
    type(editor, "x1");
    expect(editor.getView().blaming).toBe(false);
    type(editor, "2");
    expect(editor.getView().ranking).toEqual({ order: [[42]], wrong: [41] });
  });
});

describe("what is not sent yet", () => {
  it("is there again after a reload, and gone once it is taken", () => {
    type(open(), "31");
    const again = open();
    expect(again.getView().ranking.order).toEqual([[43], [41]]);
    type(again, "42⏎");
    expect(labels()).toEqual([ranked([[43], [41], [44], [42]])]);
    expect(open().getView().ranking.order).toHaveLength(4);
    again.settled(sent[0]?.label);
    expect(open().getView().ranking.order).toEqual([]);
    expect(open().getView().canRedo).toBe(false);
  });

  it("is one step away after another verdict, until an order is sent", () => {
    const editor = open();
    type(editor, "31");
    editor.settled();
    const given: Choice = { verdict: "unsure", classId: null };
    const again = open({ given });
    expect(again.getView()).toMatchObject({ ranking: NOTHING, notice: { say: "before" } });
    expect(again.isChanged).toBe(false);
    again.settled();
    const third = open({ given });
    third.redo();
    expect(third.getView().ranking).toEqual({ order: [[43], [41]], wrong: [] });
    type(third, "42⏎");
    third.settled(sent[0]?.label);
    expect(open({ given }).getView().canRedo).toBe(false);
  });

  it("is not lost by a look at it, or by a slip that is taken back", () => {
    const editor = open();
    type(editor, "31");
    editor.settled();
    const again = open();
    again.redo();
    again.undo();
    const third = open();
    third.press(42);
    third.undo();
    const last = open();
    last.redo();
    expect(last.getView()).toMatchObject({ ranking: { order: [[43], [41]] }, canRedo: false });
  });

  it("goes back and forth step by step", () => {
    const editor = open();
    type(editor, "31t");
    editor.undo();
    expect(editor.getView().ranking.order).toEqual([[43], [41]]);
    editor.undo();
    editor.redo();
    editor.redo();
    expect(editor.getView().ranking.order).toEqual([[43, 41]]);
    expect(editor.takeBackLast()).toBe(true);
    expect(editor.getView().ranking.order).toEqual([[43]]);
  });
});

describe("an order that was given before", () => {
  const given: Choice = {
    verdict: "label",
    classId: null,
    label: { type: "instructions", order: [[44], [41, 42]], wrong: [43] },
  };

  it("is shown, and is changed only if it is another in the end", () => {
    const editor = open({ given });
    expect(editor.getView().ranking).toEqual({ order: [[44], [41, 42]], wrong: [43] });
    editor.press(43);
    expect(editor.isChanged).toBe(true);
    editor.blame(43);
    expect(editor.isChanged).toBe(false);
  });
});

describe("keys", () => {
  const press = (key: string, code = "", more: Partial<KeyboardEvent> = {}) =>
    actionFor({
      ...{ key, code, shiftKey: false, ctrlKey: false, metaKey: false, altKey: false },
      ...more,
    });

  it("count from 1 to 10, and open long ones with Shift", () => {
    expect(press("1", "Digit1")).toEqual({ do: "press", index: 0 });
    expect(press("0", "Digit0")).toEqual({ do: "press", index: 9 });
    expect(press("&", "Digit1")).toEqual({ do: "press", index: 0 });
    expect(press("!", "Digit1", { shiftKey: true })).toEqual({ do: "fold", index: 0 });
    expect(press("9", "Numpad9")).toEqual({ do: "press", index: 8 });
  });

  it("work where letters are Korean, and leave the page its own", () => {
    expect(press("ㅅ", "KeyT")).toEqual({ do: "tie" });
    expect(press("ㅌ", "KeyX")).toEqual({ do: "blame" });
    expect(press("s", "KeyS")).toBeNull();
    expect(press("x", "KeyX", { altKey: true })).toBeNull();
    expect(commandFor("x")).toBeNull();
    expect(commandFor("n")).toEqual({ do: "answer", choice: { verdict: "ood", classId: null } });
  });
});
