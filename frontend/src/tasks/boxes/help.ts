import { t } from "../../strings";
import { FIXED_KEYS } from "../../ui/hotkeys";

type Row = [keys: string[], meaning: string];

/** What the keys of the boxes do, where they are drawn or where two labels are compared. */
export function helpRows(inReview = false): Row[] {
  const rows = t.boxes.keys;
  const threshold: Row[] = inReview ? [] : [[["[", "]"], rows.threshold]];
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
