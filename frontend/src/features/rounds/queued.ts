import type { Round, Settings } from "../../api/types";
import type { Queued } from "../../strings/en/rounds";
import { formatCost, formatSeconds } from "../../ui/format";

const TAIL = 0.5;

/** Why a round asked about so many images, as `workers/advance/selecting.py` counts them. */
export function whyQueued(round: Pick<Round, "budget" | "settings">, images: number) {
  const { cost, overlap, zero_wait: tail } = round.settings as Settings;
  if (images === 0 || images === round.budget) return null;
  const time = cost.mode === "seconds";
  const budget = time ? formatSeconds(round.budget) : formatCost(round.budget);
  if (time) return { by: "time", budget, tail, sent: 0 } satisfies Queued;
  const price = Math.min(cost.c_in, cost.c_ood) * overlap;
  const paid = Math.ceil((round.budget / price) * (tail ? 1 + TAIL : 1));
  return {
    by: images < paid ? "pool" : cost.c_in === cost.c_ood ? "budget" : "lowest",
    budget,
    tail,
    sent: Math.max(0, images - paid),
  } satisfies Queued;
}
