import { t } from "../../strings";
import { FIXED_KEYS } from "../../ui/hotkeys";
import type { KeyRow, TaskHelp } from "../spec";
import { NONE_KEY, TIE_KEY, UNFOLD_KEY, WRONG_KEY } from "./keys";

/** What the keys of the order do; in reviews the whole group has a button alone. */
function helpRows(inReview = false): KeyRow[] {
  const rows = t.instructions.keys;
  return [
    [["1", "…", "9", "0"], rows.press],
    [[TIE_KEY], rows.tie],
    [[WRONG_KEY, "1"], rows.wrong],
    [["Enter"], rows.send],
    [["Backspace"], rows.back],
    [["Ctrl Z", "Ctrl ⇧ Z"], rows.undo],
    ...(inReview ? [] : ([[[NONE_KEY], t.instructions.noneText]] as KeyRow[])),
    [["⇧1", "…", "⇧0"], rows.fold],
    [[UNFOLD_KEY], rows.foldAll],
    [["Space", "↑", "↓"], rows.scroll],
    [[FIXED_KEYS.smooth], rows.mono],
    [[], rows.drag],
  ];
}

/** Help for where examples are put in order, or two orders compared. */
export const help: TaskHelp = {
  keys: helpRows,
  guide: () => t.instructions.guide.key,
  touch: () => t.instructions.touch,
  review: () => {
    const { intro, introTouch, left, right } = t.instructions.sides;
    return { intro, touch: [introTouch, ...t.instructions.touch], left, right };
  },
};
