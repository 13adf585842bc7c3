import { useId } from "react";
import { t } from "../../strings";
import { Kbd } from "../../ui/Kbd";
import { keepFocus } from "../../ui/keepFocus";
import type { BoxEditor, EditorView } from "./editor";
import { LEAST_DOT } from "./memory";
import styles from "./Panel.module.css";
import { keepAll, setThreshold } from "./suggestions";

type SuggestionsProps = { editor: BoxEditor; view: EditorView };

/** How sure the model must be for its boxes to be shown, and all of them at once. */
export function Suggestions({ editor, view }: SuggestionsProps) {
  const { open, below, threshold } = view;
  const slider = useId();
  const percent = Math.round(100 * threshold);
  return (
    <section className={styles.suggestions} aria-label={t.boxes.suggestions.title}>
      {editor.proposedBy && (
        <p className={styles.by} title={editor.proposedBy}>
          {t.predictions.label.suggests(editor.proposedBy)}
        </p>
      )}
      <label htmlFor={slider} className={styles.threshold}>
        <span>{t.boxes.suggestions.from}</span>
        <output>{percent} %</output>
      </label>
      <input
        id={slider}
        type="range"
        min={Math.round(100 * LEAST_DOT)}
        max={100}
        value={percent}
        aria-keyshortcuts="[ ]"
        aria-valuetext={t.boxes.suggestions.left(open.length, below.length)}
        onChange={(event) => setThreshold(editor, Number(event.target.value) / 100)}
        // The keys go back to the boxes.
        onPointerUp={(event) => event.currentTarget.blur()}
      />
      <div className={styles.left}>
        <span>{t.boxes.suggestions.left(open.length, below.length)}</span>
        <button
          type="button"
          className={styles.act}
          aria-keyshortcuts="Shift+K"
          disabled={open.length === 0}
          onMouseDown={keepFocus}
          onClick={() => keepAll(editor)}
        >
          {t.boxes.suggestions.keepAll}
          <Kbd decorative>⇧K</Kbd>
        </button>
      </div>
    </section>
  );
}
