import { hashKey } from "@tanstack/react-query";
import type { ClassInput, LabelClass } from "../../api/types";
import { t } from "../../strings";
import { freeKey, keyLabel } from "../../ui/hotkeys";

/** A class as it is edited. `id` is null until the server has it; `row` tells the rows apart. */
export type ClassDraft = {
  row: string;
  id: number | null;
  name: string;
  colour: string;
  hotkey: string | null;
  /** What belongs to it, for annotators. */
  guide: string;
};

/** Distinguishable side by side, also with the common colour-vision deficiencies. */
export const PALETTE = [
  "#3b6fb6",
  "#d9822b",
  "#3f9b6c",
  "#b5476b",
  "#7a5cc0",
  "#8a6d3b",
  "#2a9fb0",
  "#c2a21d",
  "#5f6b7a",
  "#a0522d",
];

/** The classes as edited, with what it takes to tell edits from what changes meanwhile. */
export type ClassEdits = {
  drafts: ClassDraft[];
  /** Ids of those that differ from what the server had. */
  touched: number[];
  /** Ids of those that the server had and that were taken away. */
  removed: number[];
};

/** What was edited of `saved`; null where nothing was. */
export function editsOf(saved: ClassDraft[], drafts: ClassDraft[]): ClassEdits | null {
  if (hashKey([saved]) === hashKey([drafts])) return null;
  const before = new Map(saved.map((one) => [one.id, hashKey([one])]));
  const kept = drafts.flatMap(({ id }) => (id === null ? [] : [id]));
  return {
    drafts,
    touched: drafts.flatMap((one) =>
      one.id !== null && hashKey([one]) !== before.get(one.id) ? [one.id] : [],
    ),
    removed: saved.flatMap(({ id }) => (id === null || kept.includes(id) ? [] : [id])),
  };
}

/** What the server has by now with edits on top: nobody else's renamed or new class is lost. */
export function withEdits(saved: ClassDraft[], edits: ClassEdits | null): ClassDraft[] {
  if (edits === null) return saved;
  const { drafts, touched, removed } = edits;
  const now = new Map(saved.map((one) => [one.id, one]));
  const shown = drafts.flatMap((one) => {
    if (one.id === null || touched.includes(one.id)) return [one];
    return now.get(one.id) ?? [];
  });
  const listed = new Set(drafts.map((one) => one.id));
  const added = saved.filter(({ id }) => id !== null && !listed.has(id) && !removed.includes(id));
  return [...shown, ...added];
}

let rows = 0;

export function toDrafts(classes: LabelClass[]): ClassDraft[] {
  return classes.map(({ id, name, colour, hotkey, guide }) => ({
    row: `class-${id}`,
    id,
    name,
    colour,
    hotkey,
    guide,
  }));
}

export function toInputs(drafts: ClassDraft[]): ClassInput[] {
  return drafts.map(({ id, name, colour, hotkey, guide }) => ({
    ...(id === null ? {} : { id }),
    name: name.trim(),
    colour,
    hotkey,
    guide,
  }));
}

/** The drafts with a new one at the end, with the next free colour and key. */
export function withNew(drafts: ClassDraft[], name = ""): ClassDraft[] {
  rows += 1;
  const used = new Set(drafts.map((draft) => draft.colour));
  const colour =
    PALETTE.find((candidate) => !used.has(candidate)) ??
    PALETTE[drafts.length % PALETTE.length] ??
    "#3b6fb6";
  const hotkey = freeKey(drafts.map((draft) => draft.hotkey));
  return [
    ...drafts,
    { row: `new-${rows}-${Date.now()}`, id: null, name, colour, hotkey, guide: "" },
  ];
}

export function moved(drafts: ClassDraft[], from: number, to: number): ClassDraft[] {
  const result = [...drafts];
  const [draft] = result.splice(from, 1);
  if (draft) result.splice(to, 0, draft);
  return result;
}

/** What keeps the classes from being saved, by row. */
export function problemsOf(drafts: ClassDraft[]): Map<string, string> {
  const problems = new Map<string, string>();
  const names = new Set<string>();
  const keys = new Set<string>();
  for (const [index, { row, name, hotkey }] of drafts.entries()) {
    const folded = name.trim().toLowerCase();
    if (!folded) problems.set(row, t.setup.nameEmpty(index + 1));
    else if (folded === "ood") problems.set(row, t.setup.nameReserved);
    else if (names.has(folded)) problems.set(row, t.setup.nameTwice(name.trim()));
    else if (hotkey && keys.has(hotkey)) problems.set(row, t.setup.hotkeyTwice(keyLabel(hotkey)));
    names.add(folded);
    if (hotkey) keys.add(hotkey);
  }
  return problems;
}
