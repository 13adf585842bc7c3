import type { CSSProperties, ReactNode } from "react";
import type { LabelClass } from "../../../api/types";
import { t } from "../../../strings";
import type { Choice } from "../../../tasks/choice";
import { Button } from "../../../ui/Button";
import { ariaKey, FIXED_KEYS, keyLabel } from "../../../ui/hotkeys";
import { Kbd } from "../../../ui/Kbd";
import { keepFocus } from "../../../ui/keepFocus";
import styles from "./VerdictBar.module.css";

type VerdictBarProps = {
  classes: LabelClass[];
  selected: number;
  canUndo: boolean;
  onJudge: (choice: Choice) => void;
  onUndo: () => void;
  onClear: () => void;
};

/** Every verdict within reach of a mouse or a thumb. */
export function VerdictBar(props: VerdictBarProps) {
  const { classes, selected, canUndo, onJudge, onUndo, onClear } = props;
  const button = (choice: Choice, hotkey: string | null, name: string, mark: ReactNode) => (
    <button
      key={`${choice.verdict}-${choice.classId}`}
      type="button"
      className={styles.verdict}
      aria-keyshortcuts={hotkey ? ariaKey(hotkey) : undefined}
      title={choice.verdict === "ood" ? t.glossary.words.none.text : undefined}
      onMouseDown={keepFocus}
      onClick={() => onJudge(choice)}
    >
      {mark}
      <span className={styles.name}>{name}</span>
      {hotkey && <Kbd decorative>{keyLabel(hotkey)}</Kbd>}
    </button>
  );
  const plain = (verdict: "ood" | "unsure" | "skip", mark: ReactNode = null) =>
    button({ verdict, classId: null }, FIXED_KEYS[verdict], t.label[verdict], mark);
  return (
    <div className={styles.bar}>
      <p className={styles.selected} aria-live="polite">
        {selected > 0 ? (
          <>
            <strong>{t.grid.selected(selected)}</strong>
            <Button
              size="small"
              kind="quiet"
              aria-keyshortcuts="Escape"
              onMouseDown={keepFocus}
              onClick={onClear}
            >
              {t.grid.unselect}
              <Kbd decorative>Esc</Kbd>
            </Button>
          </>
        ) : (
          t.grid.noneSelected
        )}
      </p>
      <fieldset className={styles.verdicts} aria-label={t.grid.verdictBar}>
        {classes.map((item) =>
          button(
            { verdict: "label", classId: item.id },
            item.hotkey,
            item.name,
            <span
              className={styles.colour}
              style={{ "--colour": item.colour } as CSSProperties}
              aria-hidden="true"
            />,
          ),
        )}
        {plain("ood", <span className={styles.hatch} aria-hidden="true" />)}
        {plain("unsure")}
        {plain("skip")}
      </fieldset>
      <button
        type="button"
        className={`${styles.verdict} ${styles.undo}`}
        aria-keyshortcuts={FIXED_KEYS.undo}
        disabled={!canUndo}
        onMouseDown={keepFocus}
        onClick={onUndo}
      >
        <span className={styles.name}>{t.label.undo}</span>
        <Kbd decorative>{FIXED_KEYS.undo.toUpperCase()}</Kbd>
      </button>
    </div>
  );
}
