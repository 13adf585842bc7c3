import { describe, expect, it } from "vitest";
import {
  type ClassDraft,
  editsOf,
  moved,
  problemsOf,
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

  it("can be put into another order", () => {
    expect(moved(made("a", "b", "c"), 2, 0).map((draft) => draft.name)).toEqual(["c", "a", "b"]);
  });

  it("say what is wrong with them", () => {
    expect(messages(made("bee", "wasp"))).toEqual([]);
    expect(messages(made("bee", " "))).toEqual([expect.stringContaining("2")]);
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
