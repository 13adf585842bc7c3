import type { LabelClass, Verdict } from "../../api/types";
import { t } from "../../strings";

/** A verdict, and the version of the classes that were shown to whoever gave it. */
export type Choice = { verdict: Verdict; classId: number | null; classesVersion?: number };

export function nameOf(choice: Choice, classes: LabelClass[]): string {
  if (choice.verdict === "label") {
    return classes.find((item) => item.id === choice.classId)?.name ?? t.label.verdicts;
  }
  return { ood: t.label.ood, unsure: t.label.unsure, skip: t.label.skip }[choice.verdict];
}

export const isSame = (a: Choice | null, b: Choice): boolean =>
  a !== null && a.verdict === b.verdict && a.classId === b.classId;
