import type { LabelClass } from "../../../api/types";
import { t } from "../../../strings";
import { helpRows as boxRows } from "../../../tasks/boxes/help";
import { FIXED_KEYS } from "../../../ui/hotkeys";
import { HelpFrame, type KeyRow } from "../HelpFrame";
import { classKey } from "./decisions";

type ReviewHelpProps = { task?: string; classes: LabelClass[]; onClose: () => void };

export function ReviewHelp({ task, classes, onClose }: ReviewHelpProps) {
  const rows = t.review.helpRows;
  const { helpRows: shared } = t.label;
  const verdicts: KeyRow[] = classes.map((one) => {
    const key = classKey(one);
    return [key ? [key] : [], one.name];
  });
  const isOfBoxes = task === "boxes";
  const verdictKeys: KeyRow[] = [
    [[FIXED_KEYS.ood], shared.ood],
    [["Enter"], rows.keepDecision],
  ];
  const stageKeys: KeyRow[] = [
    [["+", "-", "Esc"], shared.enlarge],
    [["⇧ ← → ↑ ↓"], shared.pan],
    [[FIXED_KEYS.smooth], shared.zoom],
  ];
  const keys: KeyRow[] = [
    [["←"], rows.keep],
    [["→"], rows.accept],
    ...(isOfBoxes ? boxRows(true) : verdictKeys),
    [[FIXED_KEYS.unsure], shared.unsure],
    [isOfBoxes ? [FIXED_KEYS.undo] : [FIXED_KEYS.undo, "Backspace"], shared.undo],
    [[FIXED_KEYS.find, "/"], shared.find],
    ...(isOfBoxes ? [] : stageKeys),
    [[FIXED_KEYS.help, "?"], shared.help],
  ];
  return (
    <HelpFrame
      title={t.review.helpTitle}
      intro={<p>{isOfBoxes ? t.boxes.both : rows.classes}</p>}
      verdicts={verdicts}
      keys={keys}
      touch={isOfBoxes ? t.boxes.touch.review : [...t.label.touch.review, t.label.touch.look.image]}
      onClose={onClose}
    />
  );
}
