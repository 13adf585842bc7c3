import { useSyncExternalStore } from "react";
import { t } from "../../strings";
import { FIXED_KEYS, keyLabel } from "../../ui/hotkeys";
import { Kbd } from "../../ui/Kbd";
import type { PanelProps } from "../spec";
import { keepFocus } from "./Card";
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
  const answer = (verdict: "ood" | "unsure" | "skip") => {
    if (editor) editor.say({ verdict, classId: null });
    else onAnswer({ verdict, classId: null });
  };
  const plain = (verdict: "ood" | "unsure" | "skip", name: string, key: string, wide = false) => (
    <button
      type="button"
      className={`${styles.verdict} ${wide ? styles.wide : styles.plain}`}
      title={verdict === "ood" ? words.noneText : undefined}
      aria-keyshortcuts={key}
      aria-pressed={given ? given.verdict === verdict : undefined}
      data-flashed={flashed?.verdict === verdict || undefined}
      disabled={verdict === "skip" ? disabled : closed}
      onMouseDown={keepFocus}
      onClick={() => answer(verdict)}
    >
      {verdict === "ood" && <span className={styles.hatch} aria-hidden="true" />}
      <span className={styles.name}>{name}</span>
      <Kbd decorative>{keyLabel(key)}</Kbd>
    </button>
  );
  return (
    <fieldset className={styles.verdicts} aria-label={t.label.verdicts}>
      <button
        type="button"
        className={`${styles.verdict} ${styles.send}`}
        aria-keyshortcuts="Enter"
        data-empty={isEmpty || undefined}
        data-flashed={flashed?.verdict === "label" || undefined}
        disabled={!editor || closed}
        onMouseDown={keepFocus}
        onClick={() => editor?.submit()}
      >
        <span className={styles.name}>
          {isEmpty ? words.nothingToSend : left > 1 ? words.sendWith(left) : words.send}
        </span>
        <Kbd decorative>Enter</Kbd>
      </button>
      {plain("ood", words.none, NONE_KEY, true)}
      {plain("unsure", t.label.unsure, FIXED_KEYS.unsure)}
      {plain("skip", t.label.skip, FIXED_KEYS.skip)}
      <button
        type="button"
        className={`${styles.verdict} ${styles.plain}`}
        aria-keyshortcuts={FIXED_KEYS.undo}
        disabled={!canUndo}
        onMouseDown={keepFocus}
        onClick={onUndo}
      >
        <span className={styles.name}>{words.back}</span>
        <Kbd decorative>{FIXED_KEYS.undo.toUpperCase()}</Kbd>
      </button>
    </fieldset>
  );
}
