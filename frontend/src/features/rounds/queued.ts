import type { Round, Settings } from "../../api/types";
import type { Queued } from "../../strings/en/rounds";
import { formatCost, formatSeconds } from "../../ui/format";

const TAIL = 0.5;
/** Rounds that ask about random draws alone, which no budget has limited. */
const OF_DRAWS = ["audit", "certificate"];

type Asked = Pick<Round, "settings" | "strategy">;

/**
 * Why a round asked about so many images, as `workers/advance/selecting.py` counts them.
 *
 * @param first - How many of these came before what was chosen for the queue.
 */
export function whyQueued(round: Asked, images: number, first: number) {
  // What the round may cost is less in a small pool, and more where checks were added.
  const { cost, overlap, zero_wait: tail, budget: most } = round.settings as Settings;
  if (images === 0 || images === most || OF_DRAWS.includes(round.strategy)) return null;
  const time = cost.mode === "seconds";
  const budget = time ? formatSeconds(most) : formatCost(most);
  if (time) return { by: "time", budget, tail, before: 0 } satisfies Queued;
  const price = Math.min(cost.c_in, cost.c_ood) * overlap;
  const paid = Math.ceil((most / price) * (tail ? 1 + TAIL : 1));
  // Either what was left in the pool, or what somebody sent that was in the queue already.
  if (images >= paid && images - first < paid) return null;
  return {
    by: images < paid ? "pool" : cost.c_in === cost.c_ood ? "budget" : "lowest",
    budget,
    tail,
    before: Math.max(0, images - paid),
  } satisfies Queued;
}
