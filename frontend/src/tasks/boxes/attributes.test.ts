import { beforeEach, describe, expect, it } from "vitest";
import { type Choice, LABELED } from "../choice";
import { attributesOf, faultsOf, type Row, rowsOf } from "./attributeRows";
import {
  arm,
  askAttributes,
  choose,
  draw,
  nudge,
  place,
  describe as say,
  toggleFlag,
} from "./commands";
import { againstEachOther, plainly } from "./compare";
import { clip, copy, duplicate, paste, repeatLast } from "./copies";
import { describeBox } from "./describe";
import { BoxEditor } from "./editor";
import type { Memory } from "./memory";
import { type Box, boxesOf, boxOf, type Proposal } from "./model";
import { keep, keepAll, submit } from "./suggestions";

const IMAGE = { width: 200, height: 100 };
const CLASSES = [{ id: 7 }, { id: 8 }];
const SAID = { age: 3, colour: "red", parked: true };
const RECT = { x: 150, y: 10, w: 80, h: 20 };
const imported: Box = { ...boxOf(RECT, 7), origin: "imported", attributes: SAID };
const given: Choice = {
  verdict: LABELED,
  classId: null,
  label: { type: "boxes", boxes: [imported], threshold: null },
};
const PROPOSALS: Proposal[] = [
  { class_id: 7, x: 10, y: 10, w: 30, h: 20, score: 0.9, attributes: SAID },
  { class_id: 8, x: 60, y: 10, w: 30, h: 20, score: 0.5 },
];

let memory: Memory;
let sent: Choice[];
let lastQuery = 0;

function open(proposals: Proposal[] = [], before: Choice | null = null, query = 0) {
  lastQuery += 1;
  return new BoxEditor({
    queryId: query || lastQuery,
    draft: `label:${query || lastQuery}`,
    image: IMAGE,
    classes: CLASSES,
    proposals,
    given: before,
    memory,
    send: (choice) => sent.push(choice),
  });
}

const said = (editor: BoxEditor) => editor.getView().doc.boxes.map((box) => box.attributes);
const chooseFirst = (editor: BoxEditor) =>
  choose(editor, { kind: "box", id: editor.getView().doc.boxes[0]?.id ?? 0 });
const sentSaid = () => (boxesOf(sent.at(-1)?.label) ?? []).map((box) => box.attributes);

beforeEach(() => {
  sessionStorage.clear();
  sent = [];
  memory = { armed: null, threshold: 0.3, copied: [], last: [], crosshair: true };
});

describe("attributes of a box", () => {
  it.each<[string, (editor: BoxEditor) => unknown]>([
    ["moved", (editor) => nudge(editor, { x: 1, y: 1 }, false)],
    ["pulled", (editor) => nudge(editor, { x: 1, y: 1 }, true)],
    ["laid elsewhere", (editor) => place(editor, { x: 1, y: 1, w: 20, h: 20 })],
    ["cut", clip],
    ["of another class", (editor) => arm(editor, 8)],
    ["flagged", (editor) => toggleFlag(editor, "truncated")],
    ["taken back", (editor) => nudge(editor, { x: 1, y: 1 }, false) && editor.undo()],
  ])("stay with one that is %s", (_, change) => {
    const editor = open([], given);
    chooseFirst(editor);
    change(editor);
    expect(said(editor)).toEqual([SAID]);
    submit(editor);
    expect(sentSaid()).toEqual([SAID]);
  });

  it("are none where it is drawn anew, and go with copies as flags do", () => {
    const editor = open([], given);
    draw(editor, { x: 1, y: 2, w: 30, h: 20 });
    expect(said(editor)).toEqual([SAID, undefined]);
    chooseFirst(editor);
    duplicate(editor);
    expect(said(editor)[2]).toEqual(SAID);
    copy(editor);
    paste(editor);
    expect(said(editor)[3]).toEqual(SAID);
    submit(editor);
    const next = open();
    repeatLast(next);
    expect(said(next)).toEqual([SAID, undefined, SAID, SAID]);
  });

  it("come from suggestions that are kept or adjusted", () => {
    const editor = open(PROPOSALS);
    choose(editor, { kind: "proposal", index: 0 });
    nudge(editor, { x: 2, y: 0 }, false);
    keepAll(editor);
    expect(said(editor)).toEqual([SAID, undefined]);
    const other = open(PROPOSALS);
    choose(other, { kind: "proposal", index: 0 });
    keep(other);
    submit(other, true);
    expect(sentSaid()).toEqual([SAID, undefined]);
  });

  it("are of what another person drew, and of what a reviewer begins with", () => {
    const label = given.label;
    expect(againstEachOther(null, label).map(({ attributes }) => attributes)).toEqual([SAID]);
    expect(boxesOf(plainly({ label: label ?? null }).label)?.[0]?.attributes).toEqual(SAID);
  });

  it("are in what was not sent when the page comes back", () => {
    const editor = open([], given, 901);
    chooseFirst(editor);
    nudge(editor, { x: 1, y: 0 }, false);
    editor.close();
    expect(said(open([], given, 901))).toEqual([SAID]);
  });

  it("are changed in one step, which can be taken back", () => {
    const editor = open([], given);
    chooseFirst(editor);
    say(editor, { ...SAID });
    expect(editor.isChanged).toBe(false);
    say(editor, { colour: "blue" });
    expect(said(editor)).toEqual([{ colour: "blue" }]);
    expect(editor.getView().doc.boxes[0]?.origin).toBe("imported");
    expect(editor.undo()).toBe(true);
    expect(said(editor)).toEqual([SAID]);
    // Of a suggestion, too, which is kept by that.
    const other = open(PROPOSALS);
    choose(other, { kind: "proposal", index: 1 });
    say(other, { colour: "blue" });
    expect(said(other)).toEqual([{ colour: "blue" }]);
  });

  it("are asked for of a chosen box alone, until another is chosen", () => {
    const editor = open([], given);
    expect(askAttributes(editor, true)).toBe(false);
    chooseFirst(editor);
    expect(askAttributes(editor, true)).toBe(true);
    expect(editor.getView().asksAttributes).toBe(true);
    // As where its class is removed meanwhile, so that nothing is chosen any more.
    editor.setClasses([{ id: 8 }]);
    draw(editor, { x: 1, y: 2, w: 30, h: 20 });
    editor.setClasses(CLASSES);
    chooseFirst(editor);
    expect(editor.getView().asksAttributes).toBe(false);
  });

  it("are told to those who hear it", () => {
    expect(describeBox(imported, "car", 1, 1)).toMatch(/, age: 3, colour: red, parked: yes$/);
  });
});

describe("rows of attributes", () => {
  const row = (id: number, name: string, kind: Row["kind"], value: string) => ({
    ...{ id, name, kind, value },
  });

  it("are what the attributes are, to the type", () => {
    const all = { a: "007", b: 7, c: true, d: false, e: "", f: "two\nlines", g: -2.5, h: 1e17 };
    expect(attributesOf(rowsOf(all))).toEqual(all);
    expect(faultsOf(rowsOf(all)).size).toBe(0);
  });

  it("leave out what files cannot hold", () => {
    const rows = [row(0, "pl\u0007ate", "text", "a\u0000b\ud800c\nd 😀")];
    expect(attributesOf(rows)).toEqual({ plate: "abc\nd 😀" });
  });

  it("say nothing where nobody wrote into them", () => {
    expect(rowsOf({})).toHaveLength(1);
    expect(attributesOf(rowsOf({}))).toEqual({});
    expect(faultsOf(rowsOf({})).size).toBe(0);
  });

  it("have names of their own, and numbers where those are asked for", () => {
    const faults = faultsOf([
      row(0, "age", "number", "3 years"),
      row(1, " ", "text", "red"),
      row(2, " Occluded", "truth", "true"),
      row(3, "colour", "text", ""),
      row(4, "colour ", "text", "red"),
      row(5, "far", "number", "1e3"),
    ]);
    expect([...faults].map(([id, fault]) => [id, Object.keys(fault)])).toEqual([
      [0, ["value"]],
      [1, ["name"]],
      [2, ["name"]],
      [4, ["name"]],
    ]);
  });
});
