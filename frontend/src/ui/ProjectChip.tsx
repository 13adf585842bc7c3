import type { ProjectListed } from "../api/types";
import { t } from "../strings";
import { Chip } from "./Chip";

const TONES = { draft: "plain", running: "good", paused: "gold", finished: "plain" } as const;

type ProjectChipProps = { project: Pick<ProjectListed, "state" | "current_round"> };

/** Where a project is in its life, unless it waits for somebody to help a round that has failed. */
export function ProjectChip({ project: { state, current_round: round } }: ProjectChipProps) {
  if (round?.failed && state !== "finished") {
    return <Chip tone="bad">{t.projects.roundFailed}</Chip>;
  }
  return (
    <Chip tone={TONES[state]} dot={state === "running"}>
      {t.projects.states[state]}
    </Chip>
  );
}
