import type { Algorithm, Settings } from "../../api/types";
import { t } from "../../strings";

type Need = { text: string; tone: "plain" | "gold" };

/** Fulfilled by something that has to be done or allowed first, not by the project's other choices. */
const PREPARED = ["contrastive", "predicted_losses", "ood_class", "weights"] as const;

/** What to know about the needs of an algorithm before it is chosen. */
export function needsOf({ needs }: Algorithm): Need[] {
  const scores = (["purity", "informativeness"] as const).filter((kind) => needs.includes(kind));
  const prepared = PREPARED.filter((need) => needs.includes(need));
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
  PREPARED.some((need) => needs.includes(need));

/** Parameters of the model that provide what a score or strategy needs. */
const SWITCHES = { predicted_losses: "loss_prediction", ood_class: "ood_class" } as const;

export type Unmet = { text: string; parameter: string };

/** What the chosen model does not provide. */
export function unmetBy(model: Settings["model"], { needs, title }: Algorithm): Unmet[] {
  return (["predicted_losses", "ood_class"] as const)
    .filter((need) => needs.includes(need) && model.params[SWITCHES[need]] !== true)
    .map((need) => ({ text: t.setup.needsOfModel[need](title), parameter: SWITCHES[need] }));
}
