import type { CSSProperties, ReactNode } from "react";
import type { Decision, LabelClass, Suggestion } from "../../../api/types";
import { t } from "../../../strings";
import { formatWholePercent } from "../../../ui/format";
import { Kbd } from "../../../ui/Kbd";
import panel from "../VerdictPanel.module.css";
import styles from "./DecisionPanel.module.css";
import { REVIEW_KEYS, SHORTCUTS } from "./decisions";

const { review: text } = t;

type DecisionPanelProps = {
  suggestion: Suggestion | null;
  classes: LabelClass[];
  flashed: Decision | null;
  canUndo: boolean;
  onDecide: (decision: Decision) => void;
  onUndo: () => void;
};

export function DecisionPanel(props: DecisionPanelProps) {
  const { suggestion, classes, flashed, canUndo, onDecide, onUndo } = props;
  const classOf = (id: number | undefined) => classes.find((one) => one.id === id);
  const given = classOf(suggestion?.given_class_id);
  const suggested = classOf(suggestion?.suggested_class_id);
  const button = (decision: Decision, extra: string, content: ReactNode, colour?: string) => (
    <button
      type="button"
      className={`${panel.verdict} ${extra}`}
      style={colour ? ({ "--colour": colour } as CSSProperties) : undefined}
      aria-keyshortcuts={SHORTCUTS[decision]}
      aria-pressed={suggestion?.decision ? suggestion.decision === decision : undefined}
      data-flashed={flashed === decision || undefined}
      disabled={!suggestion}
      onClick={() => onDecide(decision)}
    >
      {content}
      <Kbd decorative>{REVIEW_KEYS[decision].toUpperCase()}</Kbd>
    </button>
  );
  const label = (heading: string, name: string, note: string) => (
    <>
      <span className={styles.heading}>{heading}</span>
      <strong>{name}</strong>
      <span className={styles.note}>{note}</span>
    </>
  );
  return (
    <fieldset className={panel.panel} aria-label={text.decisions}>
      <div className={styles.labels}>
        {button(
          "keep",
          styles.choice ?? "",
          label(
            text.given,
            given?.name ?? "–",
            suggestion?.quality == null ? "" : text.quality(formatWholePercent(suggestion.quality)),
          ),
          given?.colour,
        )}
        {button(
          "accept",
          styles.choice ?? "",
          label(
            text.suggested,
            suggested?.name ?? "–",
            suggestion ? text.confidence(formatWholePercent(suggestion.confidence)) : "",
          ),
          suggested?.colour,
        )}
      </div>
      {button(
        "ood",
        panel.ood ?? "",
        <>
          <span className={panel.hatch} aria-hidden="true" />
          <span className={panel.name}>
            {t.label.ood}
            <small aria-hidden="true">{t.label.oodHint}</small>
          </span>
        </>,
      )}
      <div className={styles.others}>
        {button("unsure", panel.plain ?? "", <span className={panel.name}>{t.label.unsure}</span>)}
        <button
          type="button"
          className={`${panel.verdict} ${panel.plain}`}
          aria-keyshortcuts={REVIEW_KEYS.undo}
          disabled={!canUndo}
          onClick={onUndo}
        >
          <span className={panel.name}>{t.label.undo}</span>
          <Kbd decorative>{REVIEW_KEYS.undo.toUpperCase()}</Kbd>
        </button>
      </div>
    </fieldset>
  );
}
