import type { CSSProperties, ReactNode } from "react";
import { t } from "../strings";
import { FIXED_KEYS, keyLabel } from "../ui/hotkeys";
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

export type VerdictFrameProps = {
  /** As `aria-keyshortcuts` names it. */
  shortcut?: string | undefined;
  onClick: () => void;
  /** How much of a row it takes; a half is a whole one where there is room below. */
  width?: "whole" | "half" | "third" | undefined;
  /** Sends what was worked at; `empty` while that is nothing. */
  sends?: "something" | "empty";
  mark?: "colour" | "hatch" | "empty" | undefined;
  name?: ReactNode;
  /** Of the class that it names. */
  colour?: string | undefined;
  className?: string | undefined;
  title?: string | undefined;
  pressed?: boolean | undefined;
  flashed?: boolean | undefined;
  disabled?: boolean | undefined;
  children?: ReactNode;
};

/** What a click says, and a key as well. A click leaves the keys with what is worked at. */
export function VerdictFrame(props: VerdictFrameProps) {
  const { shortcut, onClick, width = "whole", sends, mark, name, colour, className, title } = props;
  const { pressed, flashed, disabled, children } = props;
  const classes = [styles.verdict, styles[width], sends && styles.send, className];
  return (
    <button
      type="button"
      className={classes.filter(Boolean).join(" ")}
      style={colour ? ({ "--colour": colour } as CSSProperties) : undefined}
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
      {name && (
        // Where it is cut; what the whole button says about itself is worth more.
        <span className={styles.name} title={!title && typeof name === "string" ? name : undefined}>
          {name}
        </span>
      )}
      {children}
    </button>
  );
}

export type VerdictButtonProps = Omit<VerdictFrameProps, "name" | "children"> & {
  name: string;
  /** Its key as people read it. */
  shown?: string | undefined;
};

/** One verdict and its key. */
export function VerdictButton({ shown, ...props }: VerdictButtonProps) {
  return <VerdictFrame {...props}>{shown && <Kbd decorative>{shown}</Kbd>}</VerdictFrame>;
}

type UndoButtonProps = { name: string; canUndo: boolean; onUndo: () => void };

/** Goes back to the one before. */
export function UndoButton({ name, canUndo, onUndo }: UndoButtonProps) {
  return (
    <VerdictButton
      width="third"
      name={name}
      shortcut={FIXED_KEYS.undo}
      shown={keyLabel(FIXED_KEYS.undo)}
      disabled={!canUndo}
      onClick={onUndo}
    />
  );
}

type FindButtonProps = { disabled: boolean | undefined; onFind: () => void };

/** Looks for a class by its name. */
export function FindButton({ disabled, onFind }: FindButtonProps) {
  return (
    <VerdictButton
      width="third"
      name={t.label.find.open}
      shortcut={FIXED_KEYS.find}
      shown={keyLabel(FIXED_KEYS.find)}
      disabled={disabled}
      onClick={onFind}
    />
  );
}
