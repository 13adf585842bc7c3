import type { Algorithm, Settings } from "../../api/types";
import { t } from "../../strings";

type Need = { text: string; tone: "plain" | "gold" };

/** Fulfilled by something that has to be done first; until then another algorithm stands in. */
const AWAITED = ["contrastive", "weights"] as const;

/** Fulfilled by a parameter of the model. Nothing stands in: settings with another are refused. */
const OF_MODEL = ["predicted_losses", "ood_class"] as const;
const SWITCHES = { predicted_losses: "loss_prediction", ood_class: "ood_class" } as const;

/** What to know about the needs of an algorithm before it is chosen. */
export function needsOf({ needs }: Algorithm): Need[] {
  const scores = (["purity", "informativeness"] as const).filter((kind) => needs.includes(kind));
  const prepared = [...AWAITED, ...OF_MODEL].filter((need) => needs.includes(need));
  return [
    ...(scores.length === 2
      ? [t.setup.needs.bothScores]
      : scores.map((kind) => t.setup.needs[kind])
    ).map((text) => ({ text, tone: "plain" as const })),
    ...prepared.map((need) => ({ text: t.setup.needs[need], tone: "gold" as const })),
  ];
}

/** Whether something has to be there first, so that a stand-in may be needed. */
export const hasToWait = ({ needs }: Algorithm): boolean =>
  AWAITED.some((need) => needs.includes(need));

export type Unmet = { text: string; parameter: string };

/** What the chosen model does not provide. */
export function unmetBy(model: Settings["model"], { needs, title }: Algorithm): Unmet[] {
  return OF_MODEL.filter(
    (need) => needs.includes(need) && model.params[SWITCHES[need]] !== true,
  ).map((need) => ({ text: t.setup.needsOfModel[need](title), parameter: SWITCHES[need] }));
}
