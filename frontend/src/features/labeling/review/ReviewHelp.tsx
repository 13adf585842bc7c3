import type { Project } from "../../../api/types";
import { t } from "../../../strings";
import { helpRows as boxRows } from "../../../tasks/boxes/help";
import { helpRows as orderRows } from "../../../tasks/instructions/help";
import { noteKey } from "../../../tasks/Note";
import { FIXED_KEYS } from "../../../ui/hotkeys";
import { HelpFrame, type KeyRow } from "../HelpFrame";
import { stageKeys } from "../stageKeys";
import { classKey } from "./decisions";

type ReviewHelpProps = { project: Project; onClose: () => void };

/** What is said of labels that are more than a class. */
type Own = { intro: string; keys: KeyRow[]; touch: string[] };

const OWN: Record<string, () => Own> = {
  boxes: () => ({ intro: t.boxes.both, keys: boxRows(true), touch: t.boxes.touch.review }),
  instructions: () => ({
    intro: t.instructions.sides.intro,
    keys: orderRows(true),
    touch: [t.instructions.sides.introTouch, ...t.instructions.touch],
  }),
};

export function ReviewHelp({ project, onClose }: ReviewHelpProps) {
  const { task, classes, medium } = project;
  const rows = t.review.helpRows;
  const { helpRows: shared } = t.label;
  const verdicts: KeyRow[] = classes.map((one) => {
    const key = classKey(one);
    return [key ? [key] : [], one.name];
  });
  const own = OWN[task]?.();
  const noted = noteKey(classes);
  const verdictKeys: KeyRow[] = [
    [[FIXED_KEYS.ood], shared.ood],
    [["Enter"], rows.keepDecision],
  ];
  const sides = task === "instructions" ? t.instructions.sides : null;
  const keys: KeyRow[] = [
    [["←"], sides?.left ?? rows.keep],
    [["→"], sides?.right ?? rows.accept],
    ...(own?.keys ?? verdictKeys),
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
      intro={<p>{own?.intro ?? rows.classes}</p>}
      verdicts={verdicts}
      keys={keys}
      touch={[
        ...(own?.touch ?? [...t.label.touch.review, t.label.touch.look[medium]]),
        t.note.helpTouch,
      ]}
      onClose={onClose}
    />
  );
}
