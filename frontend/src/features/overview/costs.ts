import type { Round, Settings } from "../../api/types";
import type { BarPart } from "../../ui/Chart";

/** What a round spent, by verdict where it was charged by prices. A class and an unsure verdict have one. */
export function costParts({ spent, answered, settings }: Round): BarPart[] {
  const { mode, c_in, c_ood } = settings.cost as Settings["cost"];
  if (mode === "seconds") return [{ value: spent, tone: "rest" }];
  const ood = Math.min(spent, answered.ood * c_ood);
  const unsure = Math.min(spent - ood, answered.unsure * c_in);
  return [
    { value: spent - ood - unsure, tone: "in" },
    { value: ood, tone: "ood" },
    { value: unsure, tone: "unsure" },
  ];
}
