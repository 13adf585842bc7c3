import { FIXED_KEYS, type KeyDialogOf, openedByKey } from "../ui/hotkeys";
import type { Choice } from "./choice";

/** What a key of the label page asks for. */
export type Command =
  | { do: "answer"; choice: Choice }
  | { do: "undo" | "keep" | "back" | "forward" | "alternate" | "pause" | "guide" | "note" }
  | { do: KeyDialogOf<"label"> };

/** What keys ask for, whatever a label is: the other verdicts, and going back and forth. */
export const pageKeys = (ood: string): Readonly<Record<string, Command>> => ({
  [ood]: { do: "answer", choice: { verdict: "ood", classId: null } },
  [FIXED_KEYS.unsure]: { do: "answer", choice: { verdict: "unsure", classId: null } },
  [FIXED_KEYS.skip]: { do: "answer", choice: { verdict: "skip", classId: null } },
  [FIXED_KEYS.undo]: { do: "undo" },
  enter: { do: "keep" },
  arrowleft: { do: "back" },
  arrowright: { do: "forward" },
  [FIXED_KEYS.smooth]: { do: "alternate" },
  ...openedByKey("label"),
  [FIXED_KEYS.pause]: { do: "pause" },
  [FIXED_KEYS.guide]: { do: "guide" },
  [FIXED_KEYS.note]: { do: "note" },
});
