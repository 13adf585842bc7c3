import type { Project } from "../../../api/types";
import { t } from "../../../strings";
import { helpOf } from "../../../tasks/help";
import { noteKey } from "../../../tasks/Note";
import type { KeyRow } from "../../../tasks/spec";
import { FIXED_KEYS } from "../../../ui/hotkeys";
import { HelpFrame } from "../HelpFrame";
import { stageKeys } from "../stageKeys";
import { classKey } from "./decisions";

type ReviewHelpProps = { project: Project; onClose: () => void };

export function ReviewHelp({ project, onClose }: ReviewHelpProps) {
  const { classes, medium } = project;
  const rows = t.review.helpRows;
  const { helpRows: shared } = t.label;
  const verdicts: KeyRow[] = classes.map((one) => {
    const key = classKey(one);
    return [key ? [key] : [], one.name];
  });
  const own = helpOf(project);
  const compared = own?.review();
  const noted = noteKey(classes);
  const verdictKeys: KeyRow[] = [
    [[FIXED_KEYS.ood], shared.ood],
    [["Enter"], rows.keepDecision],
  ];
  const keys: KeyRow[] = [
    [["←"], compared?.left ?? rows.keep],
    [["→"], compared?.right ?? rows.accept],
    ...(own?.keys(true) ?? verdictKeys),
    [[FIXED_KEYS.unsure], shared.unsure],
    [own ? [FIXED_KEYS.undo] : [FIXED_KEYS.undo, "Backspace"], shared.undo],
    ...(classes.length > 0 ? ([[[FIXED_KEYS.find, "/"], shared.find]] as KeyRow[]) : []),
    [noted ? [noted] : [], t.note.help],
    ...(own ? [] : stageKeys(medium)),
    [[FIXED_KEYS.help, "?"], shared.help],
  ];
  return (
    <HelpFrame
      title={t.review.helpTitle}
      intro={<p>{compared?.intro ?? rows.classes}</p>}
      verdicts={verdicts}
      keys={keys}
      touch={[
        ...(compared?.touch ?? [...t.label.touch.review, t.label.touch.look[medium]]),
        t.note.helpTouch,
      ]}
      onClose={onClose}
    />
  );
}
