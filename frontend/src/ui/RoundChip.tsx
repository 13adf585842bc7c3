import type { Round } from "../api/types";
import { t } from "../strings";
import { Chip } from "./Chip";

const TONES = {
  selecting: "gold",
  open: "good",
  closing: "gold",
  closed: "plain",
  failed: "bad",
} as const;

type RoundChipProps = { round: Pick<Round, "state">; rounds: Pick<Round, "state">[] };

/** How a round stands; nothing is chosen for the next one as long as another has failed. */
export function RoundChip({ round: { state }, rounds }: RoundChipProps) {
  if (state === "selecting" && rounds.some((one) => one.state === "failed")) {
    return <Chip>{t.projects.roundWaits}</Chip>;
  }
  return <Chip tone={TONES[state]}>{t.projects.roundStates[state]}</Chip>;
}
