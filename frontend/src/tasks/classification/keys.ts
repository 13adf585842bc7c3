import type { LabelClass } from "../../api/types";
import { FIXED_KEYS } from "../../ui/hotkeys";
import { type Command, pageKeys } from "../command";

const PAGE_KEYS: Readonly<Record<string, Command>> = {
  ...pageKeys(FIXED_KEYS.ood),
  backspace: { do: "undo" },
};

export function commandFor(key: string, classes: LabelClass[]): Command | null {
  const chosen = classes.find((item) => item.hotkey === key);
  if (chosen) return { do: "answer", choice: { verdict: "label", classId: chosen.id } };
  return PAGE_KEYS[key] ?? null;
}
