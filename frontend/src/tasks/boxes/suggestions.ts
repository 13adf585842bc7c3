import { LABELED } from "../choice";
import { alternatives, firstOfEach } from "./alternatives";
import type { BoxEditor } from "./editor";
import * as edits from "./edits";
import { LEAST_DOT } from "./memory";
import type { Chosen } from "./model";

/** Take the chosen proposal as it is; it stays chosen, or the next undecided one is. */
export function keep(editor: BoxEditor, andNext = false): boolean {
  const { chosen, doc } = editor.getView();
  if (chosen?.kind !== "proposal") return false;
  const same = alternatives(editor.proposals).get(chosen.index) ?? [];
  const next = nextOpen(editor, chosen.index, same);
  const [kept, [box]] = edits.keeping(doc, editor.proposals, [chosen.index]);
  if (!box) return false;
  editor.take(kept, { chosen: andNext ? next : { kind: "box", id: box.id } });
  return true;
}

/** Take all proposals above the slider as they are, of each object the surest. */
export function keepAll(editor: BoxEditor): boolean {
  const { doc, open } = editor.getView();
  if (open.length === 0) return false;
  const firsts = firstOfEach(editor.proposals, open);
  const [kept] = edits.keeping(doc, editor.proposals, firsts);
  editor.take(kept, { chosen: null, notice: { say: "kept", count: firsts.length } });
  return true;
}

/** Proposals below are only dots from now on; those that are not even dots are never shown. */
export function setThreshold(editor: BoxEditor, threshold: number): void {
  const value = Math.round(Math.min(1, Math.max(LEAST_DOT, threshold)) * 100) / 100;
  editor.memory.threshold = value;
  const proposal = editor.chosenProposal;
  const hides = proposal !== null && proposal.score < value;
  editor.warned = false;
  editor.set({ threshold: value, notice: null, ...(hides && { chosen: null }) });
}

/** The undecided proposal that comes after one, but for some. */
export function nextOpen(
  editor: BoxEditor,
  after: number,
  without: readonly number[] = [],
): Chosen | null {
  const open = editor.getView().open.filter((one) => !without.includes(one));
  const index = open[(open.indexOf(after) + 1) % open.length];
  return index === undefined || index === after ? null : { kind: "proposal", index };
}

/** Send the boxes. Proposals that are left undecided are told of once before. */
export function submit(editor: BoxEditor, keepsAll = false): void {
  if (keepsAll) keepAll(editor);
  const { doc, open } = editor.getView();
  if (doc.boxes.length === 0) {
    editor.refuse({ say: "none_to_send", count: open.length });
    return;
  }
  if (open.length > 0 && !editor.warned) {
    editor.warned = true;
    editor.refuse({ say: "undecided", count: open.length });
    return;
  }
  const label = edits.labelOf(doc, editor.proposals, editor.shownFrom);
  editor.memory.last = label.boxes;
  editor.say({ verdict: LABELED, classId: null, label });
}

/** Say that nothing of the classes is in the image: looked at, and empty. */
export function submitNone(editor: BoxEditor): void {
  const { doc } = editor.getView();
  if (doc.boxes.length > 0) {
    editor.refuse({ say: "not_empty" });
    return;
  }
  const label = edits.labelOf(doc, editor.proposals, editor.shownFrom);
  editor.say({ verdict: LABELED, classId: null, label });
}
