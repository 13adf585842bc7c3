import { t } from "../../strings";
import { FIXED_KEYS } from "../../ui/hotkeys";
import type { KeyRow, TaskHelp } from "../spec";

/** What the keys of the boxes do, where they are drawn or where two labels are compared. */
function helpRows(inReview = false): KeyRow[] {
  const rows = t.boxes.keys;
  const threshold: KeyRow[] = inReview ? [] : [[["[", "]"], rows.threshold]];
  return [
    [["Enter"], inReview ? rows.sendOwn : rows.send],
    [["⇧N"], rows.none],
    [[FIXED_KEYS.ood], t.boxes.oodText],
    [["⇧B"], rows.put],
    [["Tab", "⇧Tab"], rows.cycle],
    [["← → ↑ ↓"], rows.nudge],
    [["Ctrl ← → ↑ ↓"], rows.pull],
    [["Del", "Backspace"], rows.remove],
    [["⇧O", "⇧T", "⇧D", "⇧C"], rows.flags],
    [["⇧A"], rows.attributes],
    [["Ctrl D"], rows.duplicate],
    [["Ctrl C", "Ctrl V"], rows.copy],
    [["⇧R"], rows.repeat],
    [["Ctrl Z", "Ctrl ⇧ Z"], rows.undo],
    [["`"], rows.hide],
    [["⇧V", "Esc"], rows.tool],
    [["Esc", "Tab"], rows.leave],
    [["⇧E"], rows.clip],
    [["⇧X"], rows.guides],
    [["Space"], rows.keep],
    [["⇧K"], rows.keepAll],
    [["⇧Enter"], rows.keepSend],
    ...threshold,
    [["+", "-", "Home"], rows.zoom],
    [[], rows.pan],
  ];
}

/** Help for where boxes are drawn, or two labels of them compared. */
export const help: TaskHelp = {
  keys: helpRows,
  touch: () => t.boxes.touch.label,
  review: () => ({ intro: t.boxes.both, touch: t.boxes.touch.review }),
};
