import type { Verdict } from "../api/types";
import { type BoxesLabel, boxesOf, thresholdOf } from "./boxes/model";
import { type RankingLabel, rankingOf } from "./instructions/model";

/** What a type of task can say beyond one class. */
export type RichLabel = BoxesLabel | RankingLabel;

/** A verdict, and the version of the classes that were shown to whoever gave it. */
export type Choice = {
  verdict: Verdict;
  /** The one class of it, for tasks whose verdicts name one. */
  classId: number | null;
  /** All of what is said, for other tasks. */
  label?: RichLabel | null;
  classesVersion?: number;
};

/** The verdict that says what an example is, rather than that it is nothing of the kind. */
export const LABELED: Verdict = "label";

export const isSameVerdict = (a: Choice | null, b: Choice): boolean =>
  a !== null && a.verdict === b.verdict && a.classId === b.classId && a.label === b.label;

/** What of a label the server has is more than one class, as a part of a choice. */
export function labelFrom(label: unknown): Pick<Choice, "label"> {
  const boxes = boxesOf(label);
  if (boxes) return { label: { type: "boxes", boxes, threshold: thresholdOf(label) } };
  const ranking = rankingOf(label);
  return ranking ? { label: ranking } : {};
}
