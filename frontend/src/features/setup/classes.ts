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
const PALETTE = [
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

const folded = (name: string): string => name.trim().toLowerCase();

/** The same for two that are stored alike: rows have names of their own, and ends are cut off. */
const storedAs = ({ row: _, ...draft }: ClassDraft): string =>
  hashKey([{ ...draft, name: draft.name.trim(), guide: draft.guide.trim() }]);

const isBlank = ({ id, name, guide }: ClassDraft): boolean =>
  id === null && name.trim() === "" && guide.trim() === "";

/** The classes without the empty rows at the end: Enter makes one after the last class, too. */
function withoutBlankEnd(drafts: ClassDraft[]): ClassDraft[] {
  return drafts.slice(0, drafts.findLastIndex((one) => !isBlank(one)) + 1);
}

/** Whether it makes no difference to the server which of the two there is. */
export function isStored(saved: ClassDraft[], drafts: ClassDraft[]): boolean {
  const rows = withoutBlankEnd(drafts);
  return (
    rows.length === saved.length &&
    saved.map(storedAs).every((one, index) => rows[index] && one === storedAs(rows[index]))
  );
}

/** What was edited of `saved`; null where nothing was, unless edits of them are just being saved. */
export function editsOf(
  saved: ClassDraft[],
  drafts: ClassDraft[],
  isSaving = false,
): ClassEdits | null {
  if (!isSaving && saved.length === drafts.length && isStored(saved, drafts)) return null;
  const before = new Map(saved.map((one) => [one.id, storedAs(one)]));
  const kept = drafts.flatMap(({ id }) => (id === null ? [] : [id]));
  return {
    drafts,
    touched: drafts.flatMap((one) =>
      one.id !== null && storedAs(one) !== before.get(one.id) ? [one.id] : [],
    ),
    removed: saved.flatMap(({ id }) => (id === null || kept.includes(id) ? [] : [id])),
  };
}

/**
 * What the server has by now with edits on top: nobody else's renamed or new class is lost. A new
 * one that it has by now, as after a reload amid saving, is the same class and not a second one.
 */
export function withEdits(saved: ClassDraft[], edits: ClassEdits | null): ClassDraft[] {
  if (edits === null) return saved;
  const { touched, removed } = edits;
  const listed = new Set(edits.drafts.map((one) => one.id));
  const others = saved.filter(({ id }) => !listed.has(id) && !removed.includes(id ?? 0));
  const byName = new Map(others.map(({ id, name }) => [folded(name), id]));
  const drafts = edits.drafts.map((one) =>
    one.id === null ? { ...one, id: byName.get(folded(one.name)) ?? null } : one,
  );
  const now = new Map(saved.map((one) => [one.id, one]));
  const shown = drafts.flatMap((one) => {
    if (one.id === null || touched.includes(one.id) || !listed.has(one.id)) return [one];
    return now.get(one.id) ?? [];
  });
  const taken = new Set(drafts.map((one) => one.id));
  return [...shown, ...others.filter(({ id }) => !taken.has(id))];
}

/**
 * The edits after the server has stored `sent` as `saved`, in the same order: what was typed
 * meanwhile stays on top. Those of `sent` that are not of the edits come in before an empty end.
 */
export function afterSaving(
  edits: ClassEdits | null,
  sent: { typed: ClassDraft[]; others: ClassDraft[] },
  saved: LabelClass[],
): ClassEdits | null {
  const stored = new Map<string, { as: ClassDraft; now: ClassDraft }>();
  for (const [index, as] of [...sent.typed, ...sent.others].entries()) {
    const one = saved[index];
    if (!one) continue;
    typedIn.set(one.id, as.row);
    for (const now of toDrafts([one])) stored.set(as.row, { as, now });
  }
  if (edits === null) return null;
  const rows = withoutBlankEnd(edits.drafts);
  const known = rows.map((draft) => {
    const one = stored.get(draft.row);
    if (!one) return draft;
    // A space at the end of what is being typed is the beginning of the next word.
    const { name, guide } = draft;
    const isSame = storedAs(draft) === storedAs(one.as);
    return isSame ? { ...one.now, name, guide } : { ...draft, id: one.now.id };
  });
  const others = sent.others.flatMap(({ row }) => stored.get(row)?.now ?? []);
  return editsOf(toDrafts(saved), [...known, ...others, ...edits.drafts.slice(rows.length)]);
}

let rows = 0;

/** The row that a class was typed into, by its id, which keeps its place and the cursor in it. */
const typedIn = new Map<number, string>();
const rowOf = (id: number): string => typedIn.get(id) ?? `class-${id}`;

export function toDrafts(classes: LabelClass[]): ClassDraft[] {
  return classes.map(({ id, name, colour, hotkey, guide }) => ({
    row: rowOf(id),
    id,
    name,
    colour,
    hotkey,
    guide,
  }));
}

export function toInputs(drafts: ClassDraft[]): ClassInput[] {
  return withoutBlankEnd(drafts).map(({ id, name, colour, hotkey, guide }) => ({
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
  for (const [index, { row, name, hotkey }] of withoutBlankEnd(drafts).entries()) {
    const key = folded(name);
    if (!key) problems.set(row, t.setup.nameEmpty(index + 1));
    else if (key === "ood") problems.set(row, t.setup.nameReserved);
    else if (names.has(key)) problems.set(row, t.setup.nameTwice(name.trim()));
    else if (hotkey && keys.has(hotkey)) problems.set(row, t.setup.hotkeyTwice(keyLabel(hotkey)));
    names.add(key);
    if (hotkey) keys.add(hotkey);
  }
  return problems;
}
