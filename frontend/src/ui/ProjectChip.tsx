import type { ProjectState } from "../api/types";
import { t } from "../strings";
import { Chip } from "./Chip";

const TONES = { draft: "plain", running: "good", paused: "gold", finished: "plain" } as const;

export function ProjectChip({ state }: { state: ProjectState }) {
  return (
    <Chip tone={TONES[state]} dot={state === "running"}>
      {t.projects.states[state]}
    </Chip>
  );
}
