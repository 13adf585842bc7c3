import { t } from "../../../strings";
import panel from "../../../tasks/classification/Panel.module.css";
import type { Work } from "../../../tasks/spec";
import { formatChance } from "../../../ui/format";
import { ACCEPT, type Choice, KEEP, labelName } from "./choices";
import { type Deciding, DecisionButton, said } from "./DecisionButton";
import styles from "./DecisionPanel.module.css";
import { labelKey } from "./decisions";
import { LastChoices } from "./LastChoices";
import { OtherLabels } from "./OtherLabels";
import { isTied, type Kind } from "./votes";

const { review: text } = t;

export type DecisionPanelProps = Deciding & {
  kind: Kind;
  /** What is made of the image before it is said, in tasks in which one key does not say it all. */
  work?: Work;
  canUndo: boolean;
  onUndo: () => void;
  /** Look for a class by its name. */
  onFind: () => void;
};

export function DecisionPanel(props: DecisionPanelProps) {
  const { kind, canUndo, onUndo, onFind, ...deciding } = props;
  const { suggestion } = deciding;
  const words = text[kind];
  const notes = (share: number | null | undefined, sentence: (share: string) => string) =>
    share == null || kind === "disagreements" ? null : sentence(formatChance(share));
  return (
    <fieldset className={panel.panel} aria-label={text.decisions}>
      <div className={styles.labels}>
        <LabelButton
          deciding={deciding}
          choice={KEEP}
          arrow="ArrowLeft"
          heading={words.given(suggestion !== null && isTied(suggestion))}
          label={suggestion?.given_class_id}
          note={notes(suggestion?.quality, text.quality)}
          noteTitle={t.glossary.words.label_quality.text}
        />
        <LabelButton
          deciding={deciding}
          choice={ACCEPT}
          arrow="ArrowRight"
          heading={words.suggested}
          label={suggestion?.suggested_class_id}
          note={notes(suggestion?.confidence, text.confidence)}
        />
      </div>
      <OtherLabels deciding={deciding} onFind={onFind} />
      <LastChoices deciding={deciding} canUndo={canUndo} onUndo={onUndo} />
    </fieldset>
  );
}

type LabelButtonProps = {
  deciding: Deciding;
  choice: Choice;
  arrow: "ArrowLeft" | "ArrowRight";
  heading: string;
  /** Null is OOD; undefined while there is nothing to decide on. */
  label: number | null | undefined;
  note: string | null;
  noteTitle?: string;
};

/** One of the two labels; its name has the whole width: it is what one reads. */
function LabelButton({
  deciding,
  choice,
  arrow,
  heading,
  label,
  note,
  noteTitle,
}: LabelButtonProps) {
  const { suggestion, classes } = deciding;
  const key = label === undefined ? null : labelKey(label, classes);
  return (
    <DecisionButton
      deciding={deciding}
      choice={choice}
      keys={[arrow, key]}
      className={`${styles.choice} ${label === null ? styles.ood : ""}`}
      colour={classes.find((one) => one.id === label)?.colour}
      title={label === null ? t.glossary.words.none.text : undefined}
    >
      <span className={styles.heading}>{heading}</span>
      <strong>{label === undefined ? "–" : labelName(label, classes)}</strong>
      <span className={styles.note}>
        {label !== undefined && <span>{said(label, suggestion)}</span>}
        {note && <span title={noteTitle}>{note}</span>}
      </span>
    </DecisionButton>
  );
}
