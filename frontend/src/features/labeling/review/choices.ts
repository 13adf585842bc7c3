import type { Decision, LabelClass, Suggestion } from "../../../api/types";
import type { Prepared } from "../../../media/spec";
import { t } from "../../../strings";
import type { RichLabel } from "../../../tasks/choice";

/** A decision, and the class that it names if that is neither of the two labels. */
export type Choice = { decision: Decision; classId: number | null; label?: RichLabel | null };

/** What one is shown of a suggestion to choose from; a label of null is OOD. */
type Pair = Pick<
  Suggestion,
  "given_class_id" | "suggested_class_id" | "given_label" | "suggested_label"
>;

export const KEEP: Choice = { decision: "keep", classId: null };
export const ACCEPT: Choice = { decision: "accept", classId: null };
export const UNSURE: Choice = { decision: "unsure", classId: null };
const OOD: Choice = { decision: "ood", classId: null };

/** What it means to say that an image is of a class, or OOD (null). */
export function choiceOf(label: number | null, pair: Pair | null): Choice {
  // A label that is more than one class names none, and is not OOD.
  const isSaid = (classId: number | null, whole: unknown) =>
    label === classId && (label !== null || !whole);
  if (pair && isSaid(pair.given_class_id, pair.given_label)) return KEEP;
  if (pair && isSaid(pair.suggested_class_id, pair.suggested_label)) return ACCEPT;
  return label === null ? OOD : { decision: "other", classId: label };
}

/** Whether something may be decided on what is not there to be seen: not, but to be unsure where it cannot be. */
export const isOpen = ({ decision }: Choice, prepared: Prepared["state"]): boolean =>
  prepared === "ready" || (prepared === "failed" && decision === UNSURE.decision);

export const isSameDecision = (a: Choice | null, b: Choice): boolean =>
  a !== null && a.decision === b.decision && a.classId === b.classId;

/** What was decided; `decided_class_id` names the class of other decisions too. */
export function chosen({ decision, decided_class_id }: Suggestion): Choice | null {
  return decision && { decision, classId: decision === "other" ? decided_class_id : null };
}

/** How a label is called; null is OOD. */
export const labelName = (label: number | null, classes: LabelClass[]): string =>
  label === null ? t.label.ood : (classes.find((one) => one.id === label)?.name ?? "–");
