import type { LabelClass } from "../../api/types";
import { t } from "../../strings";
import { FIXED_KEYS } from "../../ui/hotkeys";
import styles from "./HelpDialog.module.css";
import { HelpFrame, type KeyRow } from "./HelpFrame";

type HelpDialogProps = { classes: LabelClass[]; guidelines: string; onClose: () => void };

export function HelpDialog({ classes, guidelines, onClose }: HelpDialogProps) {
  const rows = t.label.helpRows;
  const keys: KeyRow[] = [
    [[FIXED_KEYS.ood], rows.ood],
    [[FIXED_KEYS.unsure], rows.unsure],
    [[FIXED_KEYS.skip], rows.skip],
    [[FIXED_KEYS.undo, "Backspace"], rows.undo],
    [["Enter"], rows.keep],
    [["←", "→"], rows.step],
    [[FIXED_KEYS.find, "/"], rows.find],
    [[FIXED_KEYS.guide], rows.guide],
    [[FIXED_KEYS.pause], rows.pause],
    [["+", "-", "Esc"], rows.enlarge],
    [["⇧ ← → ↑ ↓"], rows.pan],
    [[FIXED_KEYS.smooth], rows.zoom],
    [[FIXED_KEYS.help, "?"], rows.help],
  ];
  return (
    <HelpFrame
      title={t.label.helpTitle}
      verdicts={classes.map(({ hotkey, name }) => [hotkey ? [hotkey] : [], name])}
      keys={keys}
      onClose={onClose}
    >
      <section>
        <h3>{t.label.guidelines}</h3>
        <p className={styles.guidelines}>{guidelines || t.label.noGuidelines}</p>
      </section>
    </HelpFrame>
  );
}
