import { type CSSProperties, useSyncExternalStore } from "react";
import type { Suggestion } from "../../../api/types";
import { t } from "../../../strings";
import { Chosen } from "../../../tasks/boxes/Chosen";
import { saidOf } from "../../../tasks/boxes/describe";
import type { BoxEditor } from "../../../tasks/boxes/editor";
import { Classes } from "../../../tasks/boxes/Panel";
import { submit, submitNone } from "../../../tasks/boxes/suggestions";
import panel from "../../../tasks/classification/Panel.module.css";
import { VerdictButton } from "../../../tasks/VerdictButton";
import { FIXED_KEYS } from "../../../ui/hotkeys";
import { ACCEPT, type Choice, choiceOf, KEEP } from "./choices";
import { type Deciding, DecisionButton } from "./DecisionButton";
import type { DecisionPanelProps } from "./DecisionPanel";
import styles from "./DecisionPanel.module.css";
import { LastChoices } from "./LastChoices";
import { votesInAll } from "./votes";

/** One of two labels with boxes, or another that is made of both on the stage. */
export function BoxDecisions({ work, ...props }: DecisionPanelProps) {
  const editor = work?.kind === "boxes" ? work : null;
  const { kind, canUndo, onUndo, onFind, ...deciding } = props;
  const { suggestion, prepared, classes } = deciding;
  const words = t.review[kind];
  const last = <LastChoices deciding={deciding} canUndo={canUndo} onUndo={onUndo} />;
  if (!suggestion) return <div className={panel.panel}>{last}</div>;
  // Of two who differ neither has the most.
  const isTied = votesInAll(suggestion) === 2;
  return (
    <div className={panel.panel}>
      <fieldset className={styles.labels} aria-label={t.review.decisions}>
        <Side
          deciding={deciding}
          choice={KEEP}
          arrow="ArrowLeft"
          heading={words.given(isTied)}
          label={suggestion.given_label}
        />
        <Side
          deciding={deciding}
          choice={ACCEPT}
          arrow="ArrowRight"
          heading={words.suggested}
          label={suggestion.suggested_label}
          dashed
        />
      </fieldset>
      <p className={styles.heading}>{t.boxes.both}</p>
      {editor && (
        <Editing
          editor={editor}
          prepared={prepared}
          classes={classes}
          offersNone={!isNone(suggestion.given_label) && !isNone(suggestion.suggested_label)}
          onFind={onFind}
        />
      )}
      {suggestion.given_label && suggestion.suggested_label && (
        <DecisionButton
          deciding={deciding}
          choice={choiceOf(null, suggestion)}
          keys={[FIXED_KEYS.ood]}
          className={panel.ood}
          mark="hatch"
          name={t.boxes.ood}
          title={t.boxes.oodText}
        />
      )}
      {last}
    </div>
  );
}

/** Whether it says that nothing of the classes is in the image. */
const isNone = (label: Suggestion["given_label"]): boolean =>
  label?.type === "boxes" && label.boxes.length === 0;

type EditingProps = Pick<Deciding, "prepared" | "classes"> & {
  editor: BoxEditor;
  /** Whether neither of the two labels says that there is nothing. */
  offersNone: boolean;
  onFind: () => void;
};

function Editing({ editor, prepared, classes, offersNone, onFind }: EditingProps) {
  const view = useSyncExternalStore(editor.subscribe, editor.getView);
  const count = view.doc.boxes.length;
  return (
    <>
      <Classes editor={editor} view={view} classes={classes} onFind={onFind} />
      <Chosen editor={editor} view={view} classes={classes} />
      <VerdictButton
        name={count > 0 ? t.boxes.sendEdited(count) : t.boxes.sendNothing}
        shortcut="Enter"
        shown="Enter"
        disabled={!editor.isChanged || count === 0 || prepared !== "ready"}
        onClick={() => submit(editor)}
      />
      {offersNone && (
        <VerdictButton
          mark="empty"
          name={t.boxes.none}
          title={t.boxes.noneText}
          shortcut="Shift+N"
          shown="⇧N"
          disabled={count > 0 || prepared !== "ready"}
          onClick={() => submitNone(editor)}
        />
      )}
    </>
  );
}

type SideProps = {
  deciding: Deciding;
  choice: Choice;
  arrow: "ArrowLeft" | "ArrowRight";
  heading: string;
  /** Null is OOD. */
  label: Suggestion["given_label"];
  dashed?: boolean;
};

function Side({ deciding, choice, arrow, heading, label, dashed }: SideProps) {
  const name = saidOf(label) ?? t.boxes.ood;
  const line: CSSProperties = { borderTop: `2px ${dashed ? "dashed" : "solid"} currentcolor` };
  return (
    <DecisionButton
      deciding={deciding}
      choice={choice}
      keys={[arrow]}
      className={`${styles.choice} ${label === null ? styles.ood : ""}`}
    >
      <span className={styles.heading}>{heading}</span>
      <strong>{name}</strong>
      <span className={styles.note} aria-hidden="true">
        {label && <span style={line} />}
      </span>
    </DecisionButton>
  );
}
