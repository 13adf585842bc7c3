import type { LabelClass, Suggestion } from "../../../api/types";
import { t } from "../../../strings";
import { BeforeHint } from "../BeforeHint";
import desk from "../LabelScreen.module.css";
import { labelName } from "./choices";
import { alsoSaid, isTied, type Kind } from "./votes";

const { review: text } = t;

type SpokenProps = {
  current: Suggestion | null;
  /** What was decided on before, if there is one to go back to. */
  previous: Suggestion | null;
  classes: LabelClass[];
  kind: Kind;
};

/** Says what was decided, and to those who hear it also what the panel shows next. */
export function Spoken({ current, previous, classes, kind }: SpokenProps) {
  const nameOf = (label: number | null) => labelName(label, classes);
  const decided = (one: Suggestion | null) => {
    if (!one?.decision) return null;
    const label = { keep: one.given_class_id, accept: one.suggested_class_id };
    const name = nameOf(
      { ...label, other: one.decided_class_id, ood: null, unsure: null }[one.decision],
    );
    return text[kind].decided[one.decision](name);
  };
  const before = decided(current);
  const last = decided(previous);
  const also = current ? alsoSaid(current).map(nameOf).join(", ") : "";
  return (
    <p className={desk.last} aria-live="polite" aria-atomic="true">
      {before ? text.before(before) : last && text.last(last)}
      {before && <BeforeHint keys={text.beforeHint} />}
      {current && (
        // A new element for each suggestion, so that the same pair is said again.
        <span key={current.id} className="visually-hidden">
          {` ${text[kind].pair(
            nameOf(current.given_class_id),
            nameOf(current.suggested_class_id),
            isTied(current),
          )}`}
          {also && ` ${text.also(also)}`}
        </span>
      )}
    </p>
  );
}
