import { type CSSProperties, useId, useState } from "react";
import type { LabelClass } from "../api/types";
import { t } from "../strings";
import { Dialog } from "../ui/Dialog";
import { typedWhileHeld } from "../ui/held";
import { keyLabel } from "../ui/hotkeys";
import { Kbd } from "../ui/Kbd";
import { usePainted } from "../ui/usePainted";
import styles from "./FindDialog.module.css";
import { matching } from "./find";

type FindDialogProps = {
  classes: LabelClass[];
  onChoose: (classId: number) => void;
  onClose: () => void;
};

/** A class by its name: type, and Enter takes it; without a word it takes none. */
export function FindDialog({ classes, onChoose, onClose }: FindDialogProps) {
  const [typed, setTyped] = useState(typedWhileHeld);
  // The place that arrows chose; without it the first of those that match what was typed.
  const [chosen, setChosen] = useState<number | null>(null);
  const listId = useId();
  const found = matching(classes, typed);
  const shownAt = usePainted(classes);
  /** Of what was there when a key was pressed; nothing before anything was typed or chosen. */
  const activeOf = (shown: LabelClass[]) =>
    chosen === null && !typed.trim() ? undefined : shown[Math.min(chosen ?? 0, shown.length - 1)];
  const choose = (item: LabelClass | undefined) => {
    if (!item) return;
    onClose();
    onChoose(item.id);
  };
  const move = (by: number) => {
    const from = chosen ?? (typed.trim() ? 0 : -1);
    const next = Math.min(found.length - 1, Math.max(0, from + by));
    setChosen(next);
    document.getElementById(`${listId}-${found[next]?.id}`)?.scrollIntoView({ block: "nearest" });
  };
  const active = activeOf(found);
  return (
    <Dialog title={t.label.find.title} onClose={onClose}>
      <input
        type="text"
        data-autofocus
        className={styles.input}
        role="combobox"
        aria-label={t.label.find.typed}
        aria-expanded="true"
        aria-controls={listId}
        aria-activedescendant={active && `${listId}-${active.id}`}
        autoComplete="off"
        spellCheck={false}
        value={typed}
        onChange={(event) => {
          setTyped(event.target.value);
          setChosen(null);
        }}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return;
          const painted = matching(shownAt(event.timeStamp), typed);
          if (event.key === "Enter") choose(activeOf(painted));
          else if (event.key === "ArrowDown") move(1);
          else if (event.key === "ArrowUp") move(-1);
          else return;
          event.preventDefault();
        }}
      />
      <div id={listId} role="listbox" aria-label={t.label.classes} className={styles.list}>
        {found.map((item) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the focus and the keys.
          <div
            key={item.id}
            id={`${listId}-${item.id}`}
            role="option"
            tabIndex={-1}
            aria-selected={item === active}
            className={styles.option}
            onClick={() => choose(item)}
          >
            <span
              className={styles.colour}
              style={{ "--colour": item.colour } as CSSProperties}
              aria-hidden="true"
            />
            <span className={styles.name}>{item.name}</span>
            {item.hotkey && <Kbd decorative>{keyLabel(item.hotkey)}</Kbd>}
          </div>
        ))}
      </div>
      <p className={styles.hint} role="status">
        {found.length === 0 ? t.label.find.none : t.label.find.hint}
      </p>
    </Dialog>
  );
}
