import type { Decision, LabelClass, Suggestion } from "../../../api/types";
import { t } from "../../../strings";
import desk from "../LabelScreen.module.css";

const { review: text } = t;

type SpokenProps = {
  current: Suggestion | null;
  /** The decision before, if there is one to go back to. */
  previous: Decision | null;
  classes: LabelClass[];
};

/** Says what was decided, and to those who hear it also what the panel shows next. */
export function Spoken({ current, previous, classes }: SpokenProps) {
  const nameOf = (id: number) => classes.find((one) => one.id === id)?.name ?? "–";
  return (
    <p className={desk.last} aria-live="polite" aria-atomic="true">
      {current?.decision
        ? text.before(text.decided[current.decision])
        : previous && text.last(text.decided[previous])}
      {current?.decision && <small>{text.beforeHint}</small>}
      {current && (
        // A new element for each suggestion, so that the same pair is said again.
        <span key={current.id} className="visually-hidden">
          {` ${text.pair(nameOf(current.given_class_id), nameOf(current.suggested_class_id))}`}
        </span>
      )}
    </p>
  );
}
