import { type CSSProperties, useSyncExternalStore } from "react";
import type { LabelClass } from "../../api/types";
import { t } from "../../strings";
import { ariaKey, FIXED_KEYS, keyLabel } from "../../ui/hotkeys";
import { Kbd } from "../../ui/Kbd";
import { keepFocus } from "../../ui/keepFocus";
import type { PanelProps } from "../spec";
import { UndoButton, VerdictButton, VerdictButtons } from "../VerdictButton";
import { Chosen } from "./Chosen";
import { arm } from "./commands";
import type { BoxEditor, EditorView } from "./editor";
import styles from "./Panel.module.css";
import { Suggestions } from "./Suggestions";
import { submit, submitNone } from "./suggestions";

/** More classes than this stand in two columns. */
const MANY = 8;

type BoxPanelProps = Omit<PanelProps, "onUndo"> & {
  /** Null where nobody was asked: there is none before it, and none that could be put off. */
  onUndo: PanelProps["onUndo"] | null;
};

/** What is drawn, what is said of the chosen box, and what is said of the image. */
export function Panel({ work: editor, ...props }: BoxPanelProps) {
  if (editor?.kind !== "boxes") return <Verdicts editor={null} view={null} {...props} />;
  return <Working key={editor.queryId} editor={editor} {...props} />;
}

type Rest = Omit<BoxPanelProps, "work">;

function Working({ editor, ...props }: Rest & { editor: BoxEditor }) {
  const view = useSyncExternalStore(editor.subscribe, editor.getView);
  const { classes, onFind } = props;
  return (
    <div className={styles.panel}>
      <Classes editor={editor} view={view} classes={classes} onFind={onFind} />
      {editor.proposals.length > 0 && <Suggestions editor={editor} view={view} />}
      <Chosen editor={editor} view={view} classes={classes} />
      <Verdicts editor={editor} view={view} {...props} />
    </div>
  );
}

type ClassesProps = {
  editor: BoxEditor;
  view: EditorView;
  classes: readonly LabelClass[];
  onFind: () => void;
};

/** The classes, one of which is drawn. */
export function Classes({ editor, view, classes, onFind }: ClassesProps) {
  const counts = new Map<number, number>();
  for (const { class_id } of view.doc.boxes) counts.set(class_id, (counts.get(class_id) ?? 0) + 1);
  return (
    <fieldset className={styles.classes} data-many={classes.length > MANY || undefined}>
      <legend className="visually-hidden">{t.boxes.drawWhat}</legend>
      {classes.map(({ id, name, colour, hotkey }) => (
        <button
          key={id}
          type="button"
          className={styles.class}
          style={{ "--colour": colour } as CSSProperties}
          aria-pressed={view.armed === id}
          aria-keyshortcuts={hotkey ? ariaKey(hotkey) : undefined}
          onMouseDown={keepFocus}
          onClick={() => arm(editor, id)}
        >
          <span className={styles.colour} aria-hidden="true" />
          <span className={styles.name}>{name}</span>
          {counts.has(id) && <span className={styles.count}>{counts.get(id)}</span>}
          {hotkey && <Kbd decorative>{keyLabel(hotkey)}</Kbd>}
        </button>
      ))}
      {classes.some(({ hotkey }) => !hotkey) && (
        <button
          type="button"
          className={`${styles.class} ${styles.find}`}
          aria-keyshortcuts={FIXED_KEYS.find}
          onMouseDown={keepFocus}
          onClick={onFind}
        >
          <span className={styles.name}>{t.label.find.open}</span>
          <Kbd decorative>{keyLabel(FIXED_KEYS.find)}</Kbd>
        </button>
      )}
    </fieldset>
  );
}

type VerdictsProps = Rest & { editor: BoxEditor | null; view: EditorView | null };

function Verdicts(props: VerdictsProps) {
  const { editor, view, given, flashed, disabled, unseen, canUndo, onAnswer, onUndo } = props;
  const closed = disabled || unseen;
  const count = view?.doc.boxes.length ?? 0;
  const plain = (verdict: "ood" | "unsure" | "skip", name: string) => (
    <VerdictButton
      width={verdict === "ood" ? "half" : "third"}
      mark={verdict === "ood" ? "hatch" : undefined}
      name={name}
      title={verdict === "ood" ? t.boxes.oodText : undefined}
      shortcut={FIXED_KEYS[verdict]}
      shown={keyLabel(FIXED_KEYS[verdict])}
      pressed={given ? given.verdict === verdict : undefined}
      flashed={flashed?.verdict === verdict}
      disabled={verdict === "skip" ? disabled : closed}
      onClick={() => onAnswer({ verdict, classId: null })}
    />
  );
  return (
    <VerdictButtons>
      <VerdictButton
        sends={count > 0 ? "something" : "empty"}
        name={count > 0 ? t.boxes.send(count) : t.boxes.sendNothing}
        shortcut="Enter"
        shown="Enter"
        disabled={!editor || closed}
        onClick={() => editor && submit(editor)}
      />
      <VerdictButton
        width="half"
        mark="empty"
        name={t.boxes.none}
        title={t.boxes.noneText}
        shortcut="Shift+N"
        shown="⇧N"
        disabled={!editor || closed || count > 0}
        onClick={() => editor && submitNone(editor)}
      />
      {plain("ood", t.boxes.ood)}
      {plain("unsure", t.label.unsure)}
      {onUndo && plain("skip", t.label.skip)}
      {onUndo && <UndoButton name={t.boxes.back} canUndo={canUndo} onUndo={onUndo} />}
    </VerdictButtons>
  );
}
