import { t } from "../../../strings";
import panel from "../../../tasks/classification/Panel.module.css";
import { FIXED_KEYS, keyLabel } from "../../../ui/hotkeys";
import { Kbd } from "../../../ui/Kbd";
import { keepFocus } from "../../../ui/keepFocus";
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
  const button = (label: number, className?: string) => (
    <DecisionButton
      key={label}
      deciding={deciding}
      choice={choiceOf(label, suggestion)}
      keys={[labelKey(label, classes)]}
      className={className}
      colour={classes.find((one) => one.id === label)?.colour}
    >
      <span className={panel.colour} aria-hidden="true" />
      <span className={panel.name}>
        {labelName(label, classes)}
        {named.includes(label) && <small>{said(label, suggestion)}</small>}
      </span>
    </DecisionButton>
  );
  return (
    <>
      {named.map((label) => button(label))}
      {others.length > 0 && (
        <fieldset className={styles.classes} aria-label={t.review.others}>
          {others.map(({ id }) => button(id))}
        </fieldset>
      )}
      {others.some((one) => classKey(one) === null) && (
        <button
          type="button"
          className={`${panel.verdict} ${panel.plain}`}
          aria-keyshortcuts={FIXED_KEYS.find}
          disabled={!suggestion || prepared !== "ready"}
          onMouseDown={keepFocus}
          onClick={onFind}
        >
          <span className={panel.name}>{t.label.find.open}</span>
          <Kbd decorative>{keyLabel(FIXED_KEYS.find)}</Kbd>
        </button>
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
      title={t.glossary.words.none.text}
    >
      <span className={panel.hatch} aria-hidden="true" />
      <span className={panel.name}>
        {t.label.ood}
        {isSaid && <small>{said(null, suggestion)}</small>}
      </span>
    </DecisionButton>
  );
}
