import { t } from "../../strings";
import type { Medium } from "../../strings/medium";
import type { KeyRow } from "../../tasks/spec";
import { FIXED_KEYS } from "../../ui/hotkeys";

/** What keys do with what is shown. */
export function stageKeys(medium: Medium): KeyRow[] {
  const rows = t.label.helpRows;
  if (medium === "image")
    return [
      [["+", "-", "Esc"], rows.enlarge],
      [["⇧ ← → ↑ ↓"], rows.pan],
      [[FIXED_KEYS.smooth], rows.zoom],
    ];
  return [
    [["Space", "⇧ Space"], rows.readOn],
    [["↑", "↓", "PgUp", "PgDn", "Home", "End"], rows.scroll],
    [["+", "-"], rows.textSize],
    [[FIXED_KEYS.smooth], rows.mono],
  ];
}
