import type { LabelClass } from "../../api/types";
import { FIXED_KEYS, type KeyDialogOf, openedByKey, withoutShift } from "../../ui/hotkeys";
import type { Choice } from "../choice";

/** What a key of the label page asks for. */
export type Command =
  | { do: "answer"; choice: Choice }
  | { do: "undo" | "keep" | "back" | "forward" | "alternate" | "pause" | "guide" }
  | { do: KeyDialogOf<"label"> };

const PAGE_KEYS: Readonly<Record<string, Command>> = {
  [FIXED_KEYS.ood]: { do: "answer", choice: { verdict: "ood", classId: null } },
  [FIXED_KEYS.unsure]: { do: "answer", choice: { verdict: "unsure", classId: null } },
  [FIXED_KEYS.skip]: { do: "answer", choice: { verdict: "skip", classId: null } },
  [FIXED_KEYS.undo]: { do: "undo" },
  backspace: { do: "undo" },
  enter: { do: "keep" },
  arrowleft: { do: "back" },
  arrowright: { do: "forward" },
  [FIXED_KEYS.smooth]: { do: "alternate" },
  ...openedByKey("label"),
  [FIXED_KEYS.pause]: { do: "pause" },
  [FIXED_KEYS.guide]: { do: "guide" },
};

export function commandFor(key: string, classes: LabelClass[]): Command | null {
  const classOf = (hotkey: string) => classes.find((item) => item.hotkey === hotkey);
  // On some layouts a bare digit is typed with shift.
  const chosen = classOf(key) ?? classOf(withoutShift(key));
  if (chosen) return { do: "answer", choice: { verdict: "label", classId: chosen.id } };
  return PAGE_KEYS[key] ?? null;
}
