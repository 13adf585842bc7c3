import type { ImportReport } from "../../api/types";

/**
 * Labels that were refused as they are no classes, with how many had them, and whether for that
 * no image came in to evaluate on.
 */
export type UnknownLabels = { names: string[]; count: number; lacksEvaluation: boolean };

const UNKNOWN = [
  /^label '(.*)' is not a class of the project/,
  /^label "(.*)" is not a class of the project/,
  /says '(.*)', which is not a class of the project/,
  /says "(.*)", which is not a class of the project/,
];

/** What could come in if there were the classes; null where nothing was refused for that. */
export function unknownLabels({ refused_by_reason, by_split }: ImportReport): UnknownLabels | null {
  const names: string[] = [];
  let count = 0;
  let ofEvaluation = false;
  for (const [reason, items] of Object.entries(refused_by_reason ?? {})) {
    const name = UNKNOWN.map((pattern) => pattern.exec(reason)?.[1]).find((one) => one);
    if (name === undefined) continue;
    names.push(name);
    count += items;
    // An image of the pool comes in without its label.
    ofEvaluation ||= reason.startsWith("label ");
  }
  const lacksEvaluation = ofEvaluation && !by_split.evaluation;
  return names.length > 0 ? { names, count, lacksEvaluation } : null;
}
