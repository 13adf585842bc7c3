import type { ReactNode } from "react";
import { t } from "../strings";
import { FIXED_KEYS } from "../ui/hotkeys";
import { Kbd } from "../ui/Kbd";
import { keepFocus } from "../ui/keepFocus";
import styles from "./VerdictButton.module.css";

/** What is said of an example whose label is worked at before it is sent. */
export function VerdictButtons({ children }: { children: ReactNode }) {
  return (
    <fieldset className={styles.verdicts} aria-label={t.label.verdicts}>
      {children}
    </fieldset>
  );
}

type VerdictButtonProps = {
  name: string;
  /** As `aria-keyshortcuts` names it. */
  shortcut: string;
  /** As people read it. */
  shown: string;
  onClick: () => void;
  /** How much of a row it takes; a half is a whole one where there is room below. */
  width?: "whole" | "half" | "third";
  /** Sends what was worked at; `empty` while that is nothing. */
  sends?: "something" | "empty";
  mark?: "hatch" | "empty" | undefined;
  title?: string | undefined;
  pressed?: boolean | undefined;
  flashed?: boolean | undefined;
  disabled?: boolean | undefined;
};

/** One verdict and its key. A click leaves the keys with what is worked at. */
export function VerdictButton(props: VerdictButtonProps) {
  const { name, shortcut, shown, onClick, width = "whole", sends, mark, title } = props;
  const { pressed, flashed, disabled } = props;
  const classes = [styles.verdict, styles[width], sends && styles.send];
  return (
    <button
      type="button"
      className={classes.filter(Boolean).join(" ")}
      title={title}
      aria-keyshortcuts={shortcut}
      aria-pressed={pressed}
      data-flashed={flashed || undefined}
      data-empty={sends === "empty" || undefined}
      disabled={disabled}
      onMouseDown={keepFocus}
      onClick={onClick}
    >
      {mark && <span className={styles[mark]} aria-hidden="true" />}
      <span className={styles.name}>{name}</span>
      <Kbd decorative>{shown}</Kbd>
    </button>
  );
}

type UndoButtonProps = { name: string; canUndo: boolean; onUndo: () => void };

/** Goes back to the one before. */
export function UndoButton({ name, canUndo, onUndo }: UndoButtonProps) {
  return (
    <VerdictButton
      width="third"
      name={name}
      shortcut={FIXED_KEYS.undo}
      shown={FIXED_KEYS.undo.toUpperCase()}
      disabled={!canUndo}
      onClick={onUndo}
    />
  );
}
