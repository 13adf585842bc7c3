import type { LabelClass } from "../../../api/types";
import { t } from "../../../strings";
import { FIXED_KEYS } from "../../../ui/hotkeys";
import { HelpFrame, type KeyRow } from "../HelpFrame";
import { classKey } from "./decisions";

type ReviewHelpProps = { classes: LabelClass[]; onClose: () => void };

export function ReviewHelp({ classes, onClose }: ReviewHelpProps) {
  const rows = t.review.helpRows;
  const { helpRows: shared } = t.label;
  const verdicts: KeyRow[] = classes.map((one) => {
    const key = classKey(one);
    return [key ? [key] : [], one.name];
  });
  const keys: KeyRow[] = [
    [["←"], rows.keep],
    [["→"], rows.accept],
    [[FIXED_KEYS.ood], shared.ood],
    [[FIXED_KEYS.unsure], shared.unsure],
    [[FIXED_KEYS.undo, "Backspace"], shared.undo],
    [["Enter"], rows.keepDecision],
    [[FIXED_KEYS.find, "/"], shared.find],
    [["+", "-", "Esc"], shared.enlarge],
    [["⇧ ← → ↑ ↓"], shared.pan],
    [[FIXED_KEYS.smooth], shared.zoom],
    [[FIXED_KEYS.help, "?"], shared.help],
  ];
  return (
    <HelpFrame
      title={t.review.helpTitle}
      intro={<p>{rows.classes}</p>}
      verdicts={verdicts}
      keys={keys}
      touch={[...t.label.touch.review, t.label.touch.look.image]}
      onClose={onClose}
    />
  );
}
