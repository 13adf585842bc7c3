import type { LabelClass } from "../../../api/types";
import { noteKey } from "../../../tasks/Note";
import { ariaKey, FIXED_KEYS, type KeyDialogOf, openedByKey } from "../../../ui/hotkeys";
import { ACCEPT, type Choice, KEEP, UNSURE } from "./choices";

export type ReviewCommand =
  | { do: "decide"; choice: Choice }
  /** Say what the image is: of a class, or OOD (null). */
  | { do: "name"; label: number | null }
  | { do: "undo" | "stay" | "alternate" | "note" }
  | { do: KeyDialogOf<"review"> };

/** The two labels lie side by side, and so do their keys; each has that of its class besides. */
const PAGE_KEYS: Readonly<Record<string, ReviewCommand>> = {
  arrowleft: { do: "decide", choice: KEEP },
  arrowright: { do: "decide", choice: ACCEPT },
  [FIXED_KEYS.ood]: { do: "name", label: null },
  [FIXED_KEYS.unsure]: { do: "decide", choice: UNSURE },
  [FIXED_KEYS.undo]: { do: "undo" },
  backspace: { do: "undo" },
  enter: { do: "stay" },
  [FIXED_KEYS.smooth]: { do: "alternate" },
  ...openedByKey("review"),
};

/** The key of a class, unless the review needs it for itself. */
export const classKey = ({ hotkey }: LabelClass): string | null =>
  hotkey !== null && hotkey in PAGE_KEYS ? null : hotkey;

export function reviewCommandFor(key: string, classes: LabelClass[]): ReviewCommand | null {
  const command = PAGE_KEYS[key];
  // Where people rank there is no class to be found.
  if (command) return command.do === "find" && classes.length === 0 ? null : command;
  const named = classes.find((one) => classKey(one) === key);
  if (named) return { do: "name", label: named.id };
  return key === noteKey(classes) ? { do: "note" } : null;
}

/** The key by which a label is named; null is OOD. */
export function labelKey(label: number | null, classes: LabelClass[]): string | null {
  if (label === null) return FIXED_KEYS.ood;
  const named = classes.find((one) => one.id === label);
  return named ? classKey(named) : null;
}

/** Keys as `aria-keyshortcuts` names them. */
export const shortcuts = (keys: (string | null)[]): string | undefined =>
  keys.flatMap((key) => (key === null ? [] : ariaKey(key))).join(" ") || undefined;
