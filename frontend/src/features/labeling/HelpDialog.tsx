import type { LabelClass } from "../../api/types";
import { t } from "../../strings";
import type { Medium } from "../../strings/medium";
import { helpOf } from "../../tasks/help";
import { noteKey } from "../../tasks/Note";
import type { KeyRow } from "../../tasks/spec";
import { FIXED_KEYS } from "../../ui/hotkeys";
import styles from "./HelpDialog.module.css";
import { HelpFrame } from "./HelpFrame";
import { stageKeys } from "./stageKeys";

type HelpDialogProps = {
  task: string;
  classes: LabelClass[];
  medium: Medium;
  guidelines: string;
  onClose: () => void;
};

export function HelpDialog({ task, classes, medium, guidelines, onClose }: HelpDialogProps) {
  const rows = t.label.helpRows;
  const verdictKeys: KeyRow[] = [
    [[FIXED_KEYS.ood], rows.ood],
    [["Enter"], rows.keep],
  ];
  const own = helpOf({ task });
  const { find } = FIXED_KEYS;
  const noted = noteKey(classes);
  const keys: KeyRow[] = [
    ...(own?.keys() ?? verdictKeys),
    [[FIXED_KEYS.unsure], rows.unsure],
    [[FIXED_KEYS.skip], rows.skip],
    [own ? [FIXED_KEYS.undo] : [FIXED_KEYS.undo, "Backspace"], rows.undo],
    [["←", "→"], rows.step],
    ...(classes.length > 0 ? ([[[find, "/"], rows.find]] as KeyRow[]) : []),
    [[FIXED_KEYS.guide], own?.guide?.() ?? rows.guide],
    [noted ? [noted] : [], t.note.help],
    [[FIXED_KEYS.pause], rows.pause],
    ...(own ? [] : stageKeys(medium)),
    [[FIXED_KEYS.help, "?"], rows.help],
  ];
  return (
    <HelpFrame
      title={t.label.helpTitle}
      verdicts={classes.map(({ hotkey, name }) => [hotkey ? [hotkey] : [], name])}
      keys={keys}
      touch={[
        ...(own?.touch() ?? [...t.label.touch.label, t.label.touch.look[medium]]),
        t.note.helpTouch,
      ]}
      onClose={onClose}
    >
      <section>
        <h3>{t.label.guidelines}</h3>
        <p className={styles.guidelines}>{guidelines || t.label.noGuidelines}</p>
      </section>
    </HelpFrame>
  );
}
