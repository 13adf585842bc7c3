import type { LabelClass } from "../../api/types";
import { t } from "../../strings";
import { type Choice, LABELED } from "../choice";
import { nameOf } from "../classification/describe";
import { rankingOf } from "./model";

/** What an order says, in a few words: "4 in order, 1 wrong"; null where it is none. */
export function saidOf(label: unknown): string | null {
  const ranking = rankingOf(label);
  return ranking && t.instructions.said(ranking.order.flat().length, ranking.wrong.length);
}

export function describe(choice: Choice, classes: LabelClass[]): string {
  if (choice.verdict === "ood") return t.instructions.none;
  const said = choice.verdict === LABELED ? saidOf(choice.label) : null;
  return said ?? nameOf(choice, classes);
}

/** The same where there is little room. */
export function short(choice: Choice, classes: LabelClass[]): string {
  if (choice.verdict === "ood") return t.instructions.noneShort;
  if (choice.verdict === LABELED) return t.instructions.ranked;
  return t.label.strip.short[choice.verdict] ?? describe(choice, classes);
}
