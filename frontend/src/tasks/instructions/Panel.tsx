import { useSyncExternalStore } from "react";
import { t } from "../../strings";
import { FIXED_KEYS, keyLabel } from "../../ui/hotkeys";
import { isTouch } from "../../ui/isTouch";
import { Kbd } from "../../ui/Kbd";
import { keepFocus } from "../../ui/keepFocus";
import type { PanelProps } from "../spec";
import { UndoButton, VerdictButton, VerdictButtons } from "../VerdictButton";
import type { RankingEditor, RankingView } from "./editor";
import { NONE_KEY, TIE_KEY, WRONG_KEY } from "./keys";
import { Order } from "./Order";
import styles from "./Panel.module.css";

/** The order so far, and what is said of the examples. */
export function Panel({ work, ...props }: PanelProps) {
  if (work?.kind !== "instructions") return <Verdicts editor={null} view={null} {...props} />;
  return <Working key={work.queryId} editor={work} {...props} />;
}

type Rest = Omit<PanelProps, "work">;

function Working({ editor, ...props }: Rest & { editor: RankingEditor }) {
  const view = useSyncExternalStore(editor.subscribe, editor.getView);
  return (
    <div className={styles.panel}>
      <Order editor={editor} view={view} />
      <Tools editor={editor} view={view} />
      <Verdicts editor={editor} view={view} {...props} />
    </div>
  );
}

/** What changes the order beside the numbers themselves. */
export function Tools({ editor, view }: { editor: RankingEditor; view: RankingView }) {
  const words = t.instructions;
  return (
    // biome-ignore lint/a11y/useSemanticElements: these are no fields of a form.
    <div className={styles.tools} role="group" aria-label={words.tools}>
      <button
        type="button"
        className={styles.tool}
        aria-keyshortcuts={TIE_KEY}
        title={words.keys.tie}
        disabled={view.ranking.order.flat().length < 2}
        onMouseDown={keepFocus}
        onClick={() => editor.tie()}
      >
        {words.tie}
        <Kbd decorative>{keyLabel(TIE_KEY)}</Kbd>
      </button>
      <button
        type="button"
        className={`${styles.tool} ${styles.next}`}
        aria-keyshortcuts={WRONG_KEY}
        aria-pressed={view.blaming}
        title={words.wrongText}
        onMouseDown={keepFocus}
        onClick={() => editor.toggleBlaming()}
      >
        {words.wrongNext}
        <Kbd decorative>{keyLabel(WRONG_KEY)}</Kbd>
      </button>
      <button
        type="button"
        className={styles.tool}
        aria-keyshortcuts="Control+Z"
        title={words.keys.undo}
        disabled={!view.canUndo}
        onMouseDown={keepFocus}
        onClick={() => editor.undo()}
      >
        {words.stepBack}
      </button>
      {view.canRedo && isTouch() && (
        <button
          type="button"
          className={styles.tool}
          onMouseDown={keepFocus}
          onClick={() => editor.redo()}
        >
          {words.stepForth}
        </button>
      )}
    </div>
  );
}

type VerdictsProps = Rest & { editor: RankingEditor | null; view: RankingView | null };

function Verdicts(props: VerdictsProps) {
  const { editor, view, given, flashed, disabled, unseen, canUndo, onAnswer, onUndo } = props;
  const words = t.instructions;
  const closed = disabled || unseen;
  const left = view?.open.length ?? 0;
  const isEmpty = !editor || left === editor.ids.length;
  const plain = (verdict: "ood" | "unsure" | "skip", name: string, key: string) => (
    <VerdictButton
      width={verdict === "ood" ? "half" : "third"}
      mark={verdict === "ood" ? "hatch" : undefined}
      name={name}
      title={verdict === "ood" ? words.noneText : undefined}
      shortcut={key}
      shown={keyLabel(key)}
      pressed={given ? given.verdict === verdict : undefined}
      flashed={flashed?.verdict === verdict}
      disabled={verdict === "skip" ? disabled : closed}
      onClick={() => onAnswer({ verdict, classId: null })}
    />
  );
  return (
    <VerdictButtons>
      <VerdictButton
        width="half"
        sends={isEmpty ? "empty" : "something"}
        name={isEmpty ? words.nothingToSend : left > 1 ? words.sendWith(left) : words.send}
        shortcut="Enter"
        shown="Enter"
        flashed={flashed?.verdict === "label"}
        disabled={!editor || closed}
        onClick={() => editor?.submit()}
      />
      {plain("ood", words.none, NONE_KEY)}
      {plain("unsure", t.label.unsure, FIXED_KEYS.unsure)}
      {plain("skip", t.label.skip, FIXED_KEYS.skip)}
      <UndoButton name={words.back} canUndo={canUndo} onUndo={onUndo} />
    </VerdictButtons>
  );
}
