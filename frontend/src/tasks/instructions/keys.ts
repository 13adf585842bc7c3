import { keyOf } from "../../ui/hotkeys";
import { type Command, pageKeys } from "../command";
import { MOST } from "./model";

/** What a key asks of the order. */
export type Action =
  | { do: "press" | "fold"; index: number }
  | { do: "tie" | "blame" | "submit" | "foldAll" | "back" | "undo" | "redo" | "escape" };

/** Nothing of the group belongs into the data; X marks single ones. */
export const NONE_KEY = "n";
export const TIE_KEY = "t";
export const WRONG_KEY = "x";
export const UNFOLD_KEY = "o";

const ALONE: Readonly<Record<string, Action>> = {
  [TIE_KEY]: { do: "tie" },
  [WRONG_KEY]: { do: "blame" },
  [UNFOLD_KEY]: { do: "foldAll" },
  enter: { do: "submit" },
  backspace: { do: "back" },
  escape: { do: "escape" },
};

type Press = Pick<KeyboardEvent, "key" | "code" | "shiftKey" | "ctrlKey" | "metaKey" | "altKey">;

/** What a key press asks of the order; null: nothing, it may be the page's. */
export function actionFor(press: Press): Action | null {
  const key = keyOf(press);
  if (press.altKey) return null;
  if (press.ctrlKey || press.metaKey) {
    if (key === "z") return { do: press.shiftKey ? "redo" : "undo" };
    return key === "y" ? { do: "redo" } : null;
  }
  const digit = /^(shift\+)?(\d)$/.exec(key);
  if (digit) {
    return { do: digit[1] ? "fold" : "press", index: (Number(digit[2]) + MOST - 1) % MOST };
  }
  return ALONE[key] ?? null;
}

const PAGE_KEYS: Readonly<Record<string, Command>> = {
  ...pageKeys(NONE_KEY),
  backspace: { do: "undo" },
};

/** What concerns the page: verdicts other than an order, and going back and forth. */
export const commandFor = (key: string): Command | null => PAGE_KEYS[key] ?? null;
