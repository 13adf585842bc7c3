import type { CSSProperties, ReactNode } from "react";
import { t } from "../../strings";
import { ariaKey, FIXED_KEYS, keyLabel } from "../../ui/hotkeys";
import { Kbd } from "../../ui/Kbd";
import { keepFocus } from "../../ui/keepFocus";
import { type Choice, isSame } from "../choice";
import type { PanelProps } from "../spec";
import styles from "./Panel.module.css";

/** More classes than this stand in two columns. */
const MANY = 10;

export function Panel(props: PanelProps) {
  const { classes, given, flashed, disabled, unseen, canUndo, onAnswer, onUndo, onFind } = props;
  const button = (choice: Choice, hotkey: string | null, name: string, extra: Extra = {}) => (
    <button
      key={`${choice.verdict}-${choice.classId}`}
      type="button"
      className={`${styles.verdict} ${extra.className ?? ""}`}
      style={extra.colour ? ({ "--colour": extra.colour } as CSSProperties) : undefined}
      title={extra.title}
      aria-keyshortcuts={hotkey ? ariaKey(hotkey) : undefined}
      aria-pressed={given ? isSame(given, choice) : undefined}
      data-flashed={isSame(flashed, choice) || undefined}
      disabled={disabled || (unseen && choice.verdict !== "skip")}
      onMouseDown={keepFocus}
      onClick={() => onAnswer(choice)}
    >
      {extra.mark === undefined ? (
        <span className={styles.colour} aria-hidden="true" />
      ) : (
        extra.mark
      )}
      <span className={styles.name} title={name}>
        {name}
      </span>
      {hotkey && <Kbd decorative>{keyLabel(hotkey)}</Kbd>}
    </button>
  );
  return (
    <fieldset className={styles.panel} aria-label={t.label.verdicts}>
      <div className={styles.classes} data-many={classes.length > MANY || undefined}>
        {classes.map((item) =>
          button({ verdict: "label", classId: item.id }, item.hotkey, item.name, {
            colour: item.colour,
          }),
        )}
      </div>
      {classes.some((item) => !item.hotkey) && (
        <button
          type="button"
          className={`${styles.verdict} ${styles.plain}`}
          aria-keyshortcuts={FIXED_KEYS.find}
          disabled={disabled || unseen}
          onMouseDown={keepFocus}
          onClick={onFind}
        >
          <span className={styles.name}>{t.label.find.open}</span>
          <Kbd decorative>{keyLabel(FIXED_KEYS.find)}</Kbd>
        </button>
      )}
      {button({ verdict: "ood", classId: null }, FIXED_KEYS.ood, t.label.ood, {
        className: styles.ood,
        mark: <span className={styles.hatch} aria-hidden="true" />,
        title: t.glossary.words.none.text,
      })}
      <div className={styles.others}>
        {button({ verdict: "unsure", classId: null }, FIXED_KEYS.unsure, t.label.unsure, {
          className: styles.plain,
          mark: null,
        })}
        {button({ verdict: "skip", classId: null }, FIXED_KEYS.skip, t.label.skip, {
          className: styles.plain,
          mark: null,
        })}
        <button
          type="button"
          className={`${styles.verdict} ${styles.plain}`}
          aria-keyshortcuts={FIXED_KEYS.undo}
          disabled={!canUndo}
          onMouseDown={keepFocus}
          onClick={onUndo}
        >
          <span className={styles.name}>{t.label.undo}</span>
          <Kbd decorative>{FIXED_KEYS.undo.toUpperCase()}</Kbd>
        </button>
      </div>
    </fieldset>
  );
}

type Extra = {
  className?: string | undefined;
  colour?: string;
  mark?: ReactNode;
  title?: string;
};
