import { type KeyboardEvent, useId, useLayoutEffect, useRef } from "react";
import type { LabelClass } from "../api/types";
import { t } from "../strings";
import { Button } from "../ui/Button";
import { FIXED_KEYS, keyLabel } from "../ui/hotkeys";
import { isTouch } from "../ui/isTouch";
import { Kbd } from "../ui/Kbd";
import { keepFocus } from "../ui/keepFocus";
import styles from "./Note.module.css";
import type { NoteDraft } from "./useNote";

/** Characters of a note, as the server takes them. */
const MOST = 500;
/** Of how many that are left one is told. */
const FEW = 60;

/** The key that opens it; null where a class has that. */
export const noteKey = (classes: readonly Pick<LabelClass, "hotkey">[]): string | null =>
  classes.some(({ hotkey }) => hotkey === FIXED_KEYS.note) ? null : FIXED_KEYS.note;

type NoteProps = {
  note: NoteDraft;
  /** There is nothing that it could stand beside. */
  disabled?: boolean;
  /** Classes come first where one has its key. */
  classes?: readonly Pick<LabelClass, "hotkey">[];
};

/** What goes with the next verdict, in words. */
export function Note({ note, disabled, classes = [] }: NoteProps) {
  const key = noteKey(classes);
  const shown = key && <Kbd decorative>{keyLabel(key)}</Kbd>;
  // Whoever opened it from here with keys goes on from here.
  const comesBack = useRef(false);
  const backTo = (button: HTMLButtonElement | null) => {
    if (!button || !comesBack.current) return;
    comesBack.current = false;
    button.focus({ preventScroll: true });
  };
  const opens = {
    ...(key && { "aria-keyshortcuts": key }),
    onMouseDown: keepFocus,
    onClick: ({ detail }: { detail: number }) => {
      comesBack.current = detail === 0;
      note.open();
    },
  };
  if (note.isOpen) return <Writing note={note} />;
  const text = note.text.trim();
  if (text) {
    return (
      <button
        ref={backTo}
        type="button"
        className={styles.written}
        aria-label={t.note.change(text)}
        {...opens}
      >
        <span dir="auto">{text}</span>
        {shown}
      </button>
    );
  }
  return (
    <Button
      ref={backTo}
      kind="quiet"
      size="small"
      className={styles.add}
      disabled={disabled}
      {...opens}
    >
      {t.note.name}
      {shown}
    </Button>
  );
}

function Writing({ note }: { note: NoteDraft }) {
  const id = useId();
  const area = useRef<HTMLTextAreaElement>(null);
  const before = useRef(note.text);
  const from = useRef<Element>(null);
  const left = MOST - note.text.length;
  useLayoutEffect(() => {
    from.current = document.activeElement;
    const element = area.current;
    element?.focus();
    element?.setSelectionRange(element.value.length, element.value.length);
  }, []);
  /** What is judged has the keys again. */
  const goBack = () => {
    note.close();
    area.current?.blur();
    if (from.current instanceof HTMLElement) from.current.focus({ preventScroll: true });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // Enter and Escape first end what an input method composes.
    if (event.nativeEvent.isComposing) return;
    if (event.key === "Escape") note.write(before.current);
    else if (event.key !== "Enter" || event.shiftKey) return;
    event.preventDefault();
    goBack();
  };
  return (
    <div className={styles.field}>
      <textarea
        ref={area}
        className={styles.area}
        aria-label={t.note.name}
        aria-describedby={id}
        dir="auto"
        rows={3}
        maxLength={MOST}
        enterKeyHint="done"
        value={note.text}
        onChange={(event) => note.write(event.target.value)}
        onKeyDown={onKeyDown}
        // Of a window that is left it stays open: whoever comes back goes on writing.
        onBlur={() => document.hasFocus() && note.close()}
      />
      <small id={id} className={styles.hint}>
        {isTouch() ? t.note.touch : t.note.hint}
        {left <= FEW && <span> {t.note.left(left)}</span>}
      </small>
    </div>
  );
}
