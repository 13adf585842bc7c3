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
