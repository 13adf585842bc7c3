import { useSyncExternalStore } from "react";
import type { Suggestion } from "../../../api/types";
import { t } from "../../../strings";
import panel from "../../../tasks/classification/Panel.module.css";
import type { RankingEditor } from "../../../tasks/instructions/editor";
import { keyOfPlace, rankingOf } from "../../../tasks/instructions/model";
import { Order } from "../../../tasks/instructions/Order";
import { Tools } from "../../../tasks/instructions/Panel";
import { VerdictButton } from "../../../tasks/VerdictButton";
import { isTouch } from "../../../ui/isTouch";
import { ACCEPT, type Choice, choiceOf, KEEP } from "./choices";
import { type Deciding, DecisionButton } from "./DecisionButton";
import type { DecisionPanelProps } from "./DecisionPanel";
import styles from "./DecisionPanel.module.css";
import { LastChoices } from "./LastChoices";
import orders from "./RankingDecisions.module.css";

/** One of two orders, side by side, or a third one. */
export function RankingDecisions({ work, ...props }: DecisionPanelProps) {
  const editor = work?.kind === "instructions" ? work : null;
  const { kind, canUndo, onUndo, onFind: _, ...deciding } = props;
  const { suggestion } = deciding;
  const words = t.review[kind];
  return (
    <div className={panel.panel}>
      <fieldset className={styles.labels} aria-label={t.review.decisions}>
        <Side
          deciding={deciding}
          choice={KEEP}
          arrow="ArrowLeft"
          heading={words.given(false)}
          label={suggestion?.given_label}
        />
        <Side
          deciding={deciding}
          choice={ACCEPT}
          arrow="ArrowRight"
          heading={words.suggested}
          label={suggestion?.suggested_label}
        />
      </fieldset>
      {editor && <Third editor={editor} />}
      {suggestion?.given_label && suggestion.suggested_label && (
        <DecisionButton
          deciding={deciding}
          choice={choiceOf(null, suggestion)}
          keys={[]}
          className={panel.ood}
          mark="hatch"
          name={t.instructions.none}
          title={t.instructions.noneText}
        />
      )}
      <LastChoices deciding={deciding} canUndo={canUndo} onUndo={onUndo} />
    </div>
  );
}

/** An order that is neither of the two. */
function Third({ editor }: { editor: RankingEditor }) {
  const view = useSyncExternalStore(editor.subscribe, editor.getView);
  const { sides } = t.instructions;
  const { order, wrong } = view.ranking;
  return (
    <div className={orders.third} data-begun={order.length + wrong.length > 0 || undefined}>
      <p className={styles.heading}>
        {sides.other}. {isTouch() ? sides.otherTouch : sides.otherHint}
      </p>
      <Order editor={editor} view={view} />
      <Tools editor={editor} view={view} />
      <VerdictButton
        name={t.instructions.send}
        shortcut="Enter"
        shown="Enter"
        disabled={!editor.isChanged}
        onClick={() => editor.submit()}
      />
    </div>
  );
}

type SideProps = {
  deciding: Deciding;
  choice: Choice;
  arrow: "ArrowLeft" | "ArrowRight";
  heading: string;
  /** Null is that none of it belongs here; undefined while there is nothing to decide on. */
  label: Suggestion["given_label"] | undefined;
};

/** One of the two orders, from the best down, by the numbers on the cards. */
function Side({ deciding, choice, arrow, heading, label }: SideProps) {
  const members = deciding.suggestion?.members ?? [];
  const ranking = rankingOf(label);
  const words = t.instructions;
  const named = (id: number) => {
    const index = members.findIndex(({ example_id }) => example_id === id);
    const begins = members[index]?.fields.responses[0] ?? "";
    return (
      <span key={id} className={orders.one} title={begins.slice(0, 200)}>
        <span className={orders.number}>{index < 0 ? id : keyOfPlace(index)}</span>
        <span className={orders.begins} dir="auto">
          {begins.slice(0, 40)}
        </span>
      </span>
    );
  };
  return (
    <DecisionButton
      deciding={deciding}
      choice={choice}
      keys={[arrow]}
      className={`${styles.choice} ${label === null ? styles.ood : ""}`}
    >
      <span className={styles.heading}>{heading}</span>
      {label === null && <strong>{words.none}</strong>}
      {ranking && (
        <span className={orders.order}>
          {ranking.order.map((place, index) => (
            <span key={place.join()} className={orders.place}>
              <span className="visually-hidden">{words.sides.place(index + 1)} </span>
              {place.map(named)}
            </span>
          ))}
          {ranking.wrong.length > 0 && (
            <span className={`${orders.place} ${orders.wrong}`}>
              <span className={orders.label}>{words.wrongOnes}</span>
              {ranking.wrong.map(named)}
            </span>
          )}
        </span>
      )}
    </DecisionButton>
  );
}
