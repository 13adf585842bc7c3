import type { Round, Settings } from "../../api/types";
import type { Queued } from "../../strings/en/rounds";
import { formatCost, formatSeconds } from "../../ui/format";

const TAIL = 0.5;
/** Rounds that ask about random draws alone, which no budget has limited. */
const OF_DRAWS = ["audit", "certificate"];

type Asked = Pick<Round, "budget" | "settings" | "strategy">;

/** Why a round asked about so many images, as `workers/advance/selecting.py` counts them. */
export function whyQueued(round: Asked, images: number) {
  const { cost, overlap, zero_wait: tail, budget: set } = round.settings as Settings;
  // A round of a small pool may cost less than what is set, which its queue was counted by.
  const most = Math.max(round.budget, set);
  if (images === 0 || images === most || OF_DRAWS.includes(round.strategy)) return null;
  const time = cost.mode === "seconds";
  const budget = time ? formatSeconds(most) : formatCost(most);
  if (time) return { by: "time", budget, tail, sent: 0 } satisfies Queued;
  const price = Math.min(cost.c_in, cost.c_ood) * overlap;
  const paid = Math.ceil((most / price) * (tail ? 1 + TAIL : 1));
  return {
    by: images < paid ? "pool" : cost.c_in === cost.c_ood ? "budget" : "lowest",
    budget,
    tail,
    sent: Math.max(0, images - paid),
  } satisfies Queued;
}
