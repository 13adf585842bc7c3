import { t } from "../../../strings";
import panel from "../../../tasks/classification/Panel.module.css";
import { FindButton } from "../../../tasks/VerdictButton";
import { FIXED_KEYS } from "../../../ui/hotkeys";
import { choiceOf, labelName } from "./choices";
import { type Deciding, DecisionButton, said } from "./DecisionButton";
import styles from "./DecisionPanel.module.css";
import { classKey, labelKey } from "./decisions";
import { alsoSaid } from "./votes";

type OtherLabelsProps = { deciding: Deciding; onFind: () => void };

/** What is neither of the two labels: first what somebody said, then the other classes, and OOD. */
export function OtherLabels({ deciding, onFind }: OtherLabelsProps) {
  const { suggestion, prepared, classes } = deciding;
  const pair = suggestion
    ? [suggestion.given_class_id, suggestion.suggested_class_id]
    : ([] as (number | null)[]);
  const named = suggestion ? alsoSaid(suggestion).filter((label) => label !== null) : [];
  const others = classes.filter(({ id }) => !pair.includes(id) && !named.includes(id));
  const button = (label: number) => (
    <DecisionButton
      key={label}
      deciding={deciding}
      choice={choiceOf(label, suggestion)}
      keys={[labelKey(label, classes)]}
      colour={classes.find((one) => one.id === label)?.colour}
      mark="colour"
      name={
        <>
          {labelName(label, classes)}
          {named.includes(label) && <small>{said(label, suggestion)}</small>}
        </>
      }
    />
  );
  return (
    <>
      {named.map((label) => button(label))}
      {others.length > 0 && (
        <fieldset className={styles.classes} data-beside aria-label={t.review.others}>
          {others.map(({ id }) => button(id))}
        </fieldset>
      )}
      {others.some((one) => classKey(one) === null) && (
        <FindButton disabled={!suggestion || prepared !== "ready"} onFind={onFind} />
      )}
      {!pair.includes(null) && <OodButton deciding={deciding} />}
    </>
  );
}

function OodButton({ deciding }: { deciding: Deciding }) {
  const { suggestion } = deciding;
  const isSaid = suggestion !== null && alsoSaid(suggestion).includes(null);
  return (
    <DecisionButton
      deciding={deciding}
      choice={choiceOf(null, suggestion)}
      keys={[FIXED_KEYS.ood]}
      className={panel.ood}
      mark="hatch"
      name={
        <>
          {t.label.ood}
          {isSaid && <small>{said(null, suggestion)}</small>}
        </>
      }
      title={t.glossary.words.none.text}
    />
  );
}
