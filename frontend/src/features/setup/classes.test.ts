import { describe, expect, it } from "vitest";
import type { LabelClass } from "../../api/types";
import {
  afterSaving,
  type ClassDraft,
  editsOf,
  moved,
  problemsOf,
  toDrafts,
  toInputs,
  withEdits,
  withNew,
} from "./classes";

const made = (...names: string[]): ClassDraft[] => names.reduce(withNew, [] as ClassDraft[]);
const messages = (drafts: ClassDraft[]) => [...problemsOf(drafts).values()];

describe("classes", () => {
  it("get keys from 1 to 0 and colours of their own", () => {
    const drafts = made("a", "b", "c", "d", "e", "f", "g", "h", "i", "j");
    expect(drafts.map((draft) => draft.hotkey).join("")).toBe("1234567890");
    expect(new Set(drafts.map((draft) => draft.colour)).size).toBe(10);
  });

  it("fill the gap a removed class leaves", () => {
    const [first, , third] = made("a", "b", "c");
    if (!first || !third) throw new Error("three classes were made");
    expect(withNew([first, third]).at(-1)?.hotkey).toBe("2");
  });

  it("end where the last one has a name, or something is said of it", () => {
    const typed = made("bee", "", " ");
    expect(messages(typed)).toEqual([]);
    expect(toInputs(typed).map(({ name }) => name)).toEqual(["bee"]);
    const [bee, ...blank] = typed;
    const described = blank.map((one) => ({ ...one, guide: "stings" }));
    expect(messages([bee, ...described] as ClassDraft[])).toHaveLength(2);
    // That of the server would be removed, which an empty field does not say.
    expect(messages(typed.map((one, id) => ({ ...one, id })))).toHaveLength(2);
  });

  it("can be put into another order", () => {
    expect(moved(made("a", "b", "c"), 2, 0).map((draft) => draft.name)).toEqual(["c", "a", "b"]);
  });

  it("say what is wrong with them", () => {
    expect(messages(made("bee", "wasp"))).toEqual([]);
    expect(messages(made("bee", " ", "ant"))).toEqual([expect.stringContaining("2")]);
    expect(messages(made("bee", "Bee "))).toHaveLength(1);
    expect(messages(made("bee", "OOD"))).toHaveLength(1);
    const sameKey = made("bee", "wasp").map((draft) => ({ ...draft, hotkey: "1" }));
    expect(messages(sameKey)).toHaveLength(1);
  });

  it("are sent without an id until the server has given one", () => {
    expect(toInputs(made(" bee "))).toEqual([
      expect.not.objectContaining({ id: expect.anything() }),
    ]);
    expect(toInputs(made(" bee "))[0]).toMatchObject({ name: "bee", hotkey: "1" });
  });
});

describe("edits of classes", () => {
  const saved = made("cat", "dog", "horse").map((one, index) => ({ ...one, id: index + 1 }));
  const [cat, dog, horse] = saved as [ClassDraft, ClassDraft, ClassDraft];
  const fox = { ...withNew(saved, "fox").at(-1), id: 9 } as ClassDraft;
  const names = (drafts: ClassDraft[]) => drafts.map(({ name }) => name);

  it("are none where nothing was changed", () => {
    expect(editsOf(saved, [...saved])).toBeNull();
    expect(withEdits(saved, null)).toBe(saved);
  });

  it("keep what was renamed and made elsewhere meanwhile", () => {
    const edits = editsOf(saved, [{ ...cat, name: "kitten" }, dog, horse]);
    const meanwhile = [cat, { ...dog, name: "hound" }, horse, fox];
    expect(names(withEdits(meanwhile, edits))).toEqual(["kitten", "hound", "horse", "fox"]);
  });

  it("keep an order, a new class and a removal", () => {
    const edits = editsOf(saved, withNew([horse, cat], "owl"));
    expect(names(withEdits([...saved, fox], edits))).toEqual(["horse", "cat", "owl", "fox"]);
    expect(names(withEdits([dog, cat], edits))).toEqual(["cat", "owl"]);
  });
});

/** What the server makes of rows: it gives ids, trims names, and gives keys out. */
const stored = (rows: ClassDraft[], first = 1): LabelClass[] =>
  rows.map(({ id, name, colour, hotkey, guide }, position) => ({
    id: id ?? first + position,
    name: name.trim(),
    colour,
    hotkey: hotkey ?? "9",
    guide: guide.trim(),
    position,
  }));

describe("classes that were saved while they are typed", () => {
  const edited = (drafts: ClassDraft[]) => ({ drafts, touched: [], removed: [] });

  it("are no edits any more, and keep their rows", () => {
    const typed = made("bee ", "wasp").map((one) => ({ ...one, hotkey: null }));
    const saved = stored(typed, 100);
    expect(afterSaving(edited(typed), { typed, others: [] }, saved)).toBeNull();
    expect(toDrafts(saved).map(({ row }) => row)).toEqual(typed.map(({ row }) => row));
  });

  it("have what was typed since on top, and an empty row at the end", () => {
    const typed = made("bee", "was");
    const [bee, wasp, next] = made("", "", "").map((row, at) => typed[at] ?? row);
    if (!bee || !wasp || !next) throw new Error("three rows were made");
    const now = [bee, { ...wasp, name: "wasp" }, next];
    const saved = stored(typed, 200);
    const edits = afterSaving(edited(now), { typed, others: [] }, saved);
    expect(edits?.touched).toEqual([201]);
    expect(edits?.removed).toEqual([]);
    const shown = withEdits(toDrafts(saved), edits);
    expect(shown.map(({ id, name }) => [id, name])).toEqual([
      [200, "bee"],
      [201, "wasp"],
      [null, ""],
    ]);
  });

  it("do not come back when they were taken away meanwhile", () => {
    const typed = made("bee", "wasp");
    const saved = stored(typed, 300);
    const edits = afterSaving(edited(typed.slice(1)), { typed, others: [] }, saved);
    expect(edits?.removed).toEqual([300]);
    expect(withEdits(toDrafts(saved), edits).map(({ name }) => name)).toEqual(["wasp"]);
  });

  it("go again when they are undone while they are being saved", () => {
    const [bee, wasp] = made("bee", "wasp") as [ClassDraft, ClassDraft];
    const before = toDrafts(stored([bee], 500));
    const [kept] = before as [ClassDraft];
    const typed = [{ ...kept, name: "bees" }, wasp];
    const undone = editsOf(before, before, true);
    const saved = stored(typed, 500);
    const edits = afterSaving(undone, { typed, others: [] }, saved);
    expect(edits?.removed).toEqual([501]);
    expect(edits?.touched).toEqual([500]);
    expect(withEdits(toDrafts(saved), edits).map(({ name }) => name)).toEqual(["bee"]);
    expect(editsOf(before, before)).toBeNull();
  });

  it("come with those that the folders of an import made", () => {
    const rows = made("bee", "", "ant");
    const [bee, blank, ant] = rows as [ClassDraft, ClassDraft, ClassDraft];
    const saved = stored([bee, ant], 400);
    const sent = { typed: [bee], others: [ant] };
    const edits = afterSaving(edited([bee, blank]), sent, saved);
    const shown = withEdits(toDrafts(saved), edits);
    expect(shown.map(({ name }) => name)).toEqual(["bee", "ant", ""]);
  });

  it("are the same after a reload that heard no answer", () => {
    const typed = made("Bee", "wasp");
    const saved = stored(typed, 500).slice(0, 1);
    const shown = withEdits(toDrafts(saved), edited(typed));
    expect(shown.map(({ id, name }) => [id, name])).toEqual([
      [500, "Bee"],
      [null, "wasp"],
    ]);
  });
});
