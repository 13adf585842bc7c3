import { isControl, isElsewhere } from "../../ui/hotkeys";
import { shortcutsAreOn } from "../../ui/shortcuts";
import { useKeyDown } from "../../ui/useKeyDown";
import type { RankingEditor } from "./editor";
import { type Action, actionFor } from "./keys";

/** The keys of the order; those that it does not want go on to the page. */
export function useRankingKeys(editor: RankingEditor, covered: boolean): void {
  // Before the page's own: Enter sends, and Backspace takes back what was placed last.
  useKeyDown(
    (event) => {
      if (event.defaultPrevented || isOthers(event)) return;
      const action = actionFor(event);
      if (!action || (event.repeat && action.do !== "undo" && action.do !== "redo")) return;
      if (obey(action, editor)) event.preventDefault();
    },
    { capture: true, off: covered },
  );
}

/** Whether a key press belongs to a field, a dialog, or a button. */
function isOthers(event: KeyboardEvent): boolean {
  const { key, target } = event;
  const plain = { ctrlKey: false, metaKey: false, altKey: false };
  if (isElsewhere({ ...plain, key, target } as KeyboardEvent)) return true;
  if (!shortcutsAreOn() && (event.ctrlKey || event.metaKey)) return true;
  return key === "Enter" && isControl(target);
}

/** Returns whether the key was for the order. */
function obey(action: Action, editor: RankingEditor): boolean {
  switch (action.do) {
    case "press":
      return editor.pressPlace(action.index);
    case "fold":
      return editor.foldPlace(action.index);
    case "back":
      return editor.takeBackLast();
    case "escape":
      return editor.escape();
    case "submit":
      // What was sent and not changed since is left as it is by the page.
      if (editor.given && !editor.isChanged) return false;
      editor.submit();
      return true;
    default:
      SIMPLE[action.do](editor);
      return true;
  }
}

type Simple = "tie" | "blame" | "foldAll" | "undo" | "redo";

const SIMPLE: Readonly<Record<Simple, (editor: RankingEditor) => void>> = {
  tie: (editor) => editor.tie(),
  blame: (editor) => editor.toggleBlaming(),
  foldAll: (editor) => editor.foldAll(),
  undo: (editor) => editor.undo(),
  redo: (editor) => editor.redo(),
};
