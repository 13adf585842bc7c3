import type { LabelClass } from "../../api/types";
import { t } from "../../strings";
import type { Choice } from "../choice";

export function nameOf(choice: Choice, classes: LabelClass[]): string {
  if (choice.verdict === "label") {
    return classes.find((item) => item.id === choice.classId)?.name ?? t.label.verdicts;
  }
  return { ood: t.label.ood, unsure: t.label.unsure, skip: t.label.skip }[choice.verdict];
}

/** The same where there is little room. */
export const shortNameOf = (choice: Choice, classes: LabelClass[]): string =>
  t.label.strip.short[choice.verdict] ?? nameOf(choice, classes);
