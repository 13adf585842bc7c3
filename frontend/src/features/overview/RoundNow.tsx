import type { Project, Round } from "../../api/types";
import { t } from "../../strings";
import { Card } from "../../ui/Card";
import { Figures } from "../../ui/Figures";
import { formatPercent } from "../../ui/format";
import { Meter } from "../../ui/Meter";

/** The round that answers count towards now, and what the model is worth so far. */
export function RoundNow({ project, rounds }: { project: Project; rounds: Round[] }) {
  const current = project.current_round;
  const round = rounds.find((item) => item.number === current?.number);
  const accuracy = rounds.findLast((item) => item.accuracy !== null)?.accuracy ?? null;
  return (
    <Card
      title={current ? t.projects.round(current.number) : t.overview.now}
      hint={stateOf(project)}
    >
      {current && (
        <Meter
          label={t.overview.columns.spent}
          value={current.spent}
          max={current.budget}
          text={t.projects.spent(current.spent, current.budget)}
        />
      )}
      <Figures
        large
        figures={[
          [
            t.overview.columns.share,
            formatPercent(round?.in_share ?? null),
            t.glossary.terms.inside.text,
          ],
          [t.overview.latestAccuracy, formatPercent(accuracy)],
        ]}
      />
    </Card>
  );
}

function stateOf({ state, current_round: current }: Project): string {
  if (!current) return t.projects.states[state];
  const isPaused = state === "paused" && current.state === "open";
  return isPaused ? t.overview.roundPaused : t.overview.roundIs[current.state];
}
