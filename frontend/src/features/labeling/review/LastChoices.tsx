import { t } from "../../../strings";
import panel from "../../../tasks/classification/Panel.module.css";
import { FIXED_KEYS, keyLabel } from "../../../ui/hotkeys";
import { Kbd } from "../../../ui/Kbd";
import { keepFocus } from "../../../ui/keepFocus";
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
        className={panel.plain}
      >
        <span className={panel.name}>{t.label.unsure}</span>
      </DecisionButton>
      <button
        type="button"
        className={`${panel.verdict} ${panel.plain}`}
        aria-keyshortcuts={FIXED_KEYS.undo}
        disabled={!canUndo}
        onMouseDown={keepFocus}
        onClick={onUndo}
      >
        <span className={panel.name}>{t.label.undo}</span>
        <Kbd decorative>{keyLabel(FIXED_KEYS.undo)}</Kbd>
      </button>
    </div>
  );
}
