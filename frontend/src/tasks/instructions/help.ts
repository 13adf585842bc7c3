import { t } from "../../strings";
import { FIXED_KEYS } from "../../ui/hotkeys";
import { NONE_KEY, TIE_KEY, UNFOLD_KEY, WRONG_KEY } from "./keys";

type Row = [keys: string[], meaning: string];

/** What the keys of the order do; in reviews the whole group has a button alone. */
export function helpRows(inReview = false): Row[] {
  const rows = t.instructions.keys;
  return [
    [["1", "…", "9", "0"], rows.press],
    [[TIE_KEY], rows.tie],
    [[WRONG_KEY, "1"], rows.wrong],
    [["Enter"], rows.send],
    [["Backspace"], rows.back],
    [["Ctrl Z", "Ctrl ⇧ Z"], rows.undo],
    ...(inReview ? [] : ([[[NONE_KEY], t.instructions.noneText]] as Row[])),
    [["⇧1", "…", "⇧0"], rows.fold],
    [[UNFOLD_KEY], rows.foldAll],
    [["Space", "↑", "↓"], rows.scroll],
    [[FIXED_KEYS.smooth], rows.mono],
    [[], rows.drag],
  ];
}
