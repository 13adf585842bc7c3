import type { LabelClass } from "../../api/types";
import { FIXED_KEYS, withoutShift } from "../../ui/hotkeys";
import { type Command, pageKeys } from "../command";

const PAGE_KEYS: Readonly<Record<string, Command>> = {
  ...pageKeys(FIXED_KEYS.ood),
  backspace: { do: "undo" },
};

export function commandFor(key: string, classes: LabelClass[]): Command | null {
  const classOf = (hotkey: string) => classes.find((item) => item.hotkey === hotkey);
  // On some layouts a bare digit is typed with shift.
  const chosen = classOf(key) ?? classOf(withoutShift(key));
  if (chosen) return { do: "answer", choice: { verdict: "label", classId: chosen.id } };
  return PAGE_KEYS[key] ?? null;
}
