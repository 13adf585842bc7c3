import { t } from "../../../strings";
import { UndoButton } from "../../../tasks/VerdictButton";
import { FIXED_KEYS } from "../../../ui/hotkeys";
import { UNSURE } from "./choices";
import { type Deciding, DecisionButton } from "./DecisionButton";
import styles from "./DecisionPanel.module.css";

type LastChoicesProps = { deciding: Deciding; canUndo: boolean; onUndo: () => void };

/** What can be said whatever the labels are: unsure, and that the decision before was wrong. */
export function LastChoices({ deciding, canUndo, onUndo }: LastChoicesProps) {
  return (
    <div className={styles.others}>
      <DecisionButton
        deciding={deciding}
        choice={UNSURE}
        keys={[FIXED_KEYS.unsure]}
        width="third"
        name={t.label.unsure}
      />
      <UndoButton name={t.label.undo} canUndo={canUndo} onUndo={onUndo} />
    </div>
  );
}
