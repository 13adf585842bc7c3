import { headlineOf, imagesOf, imagesSaid } from "../../api/measures";
import type { Project, Round } from "../../api/types";
import { t } from "../../strings";
import { traitsOf } from "../../tasks/traits";
import { Card } from "../../ui/Card";
import { type Figure, Figures } from "../../ui/Figures";
import { formatPercent } from "../../ui/format";
import { SpentMeter } from "../../ui/Meter";
import { formatShare, shareOf } from "../../ui/shares";

/** The round that answers count towards now, and what the model is worth so far. */
export function RoundNow({ project, rounds }: { project: Project; rounds: Round[] }) {
  const isOneClass = project.classes.length === 1;
  const usual = isOneClass ? t.advice.oneClass.accuracy : t.overview.latestAccuracy;
  const named = traitsOf(project).measure === "precision" ? t.overview.foundWell : usual;
  const current = project.current_round;
  const round = rounds.find((item) => item.number === current?.number);
  const measured = rounds.findLast((item) => (headlineOf(item)?.value ?? item.accuracy) !== null);
  return (
    <Card
      title={current ? t.projects.round(current.number) : t.overview.now}
      hint={stateOf(project)}
    >
      {current && <SpentMeter label={t.overview.columns.spent} round={current} />}
      <Figures
        large
        figures={[...(round ? [shareFigure(round)] : []), accuracyFigure(measured, named)]}
      />
    </Card>
  );
}

function stateOf({ state, current_round: current }: Project): string {
  if (!current) return t.projects.states[state];
  const isPaused = state === "paused" && current.state === "open";
  return isPaused ? t.overview.roundPaused : t.overview.roundIs[current.state];
}

function shareFigure(round: Round): Figure {
  const { inside, all } = imagesSaid(round);
  const share = formatShare(shareOf(inside, all));
  return [t.overview.columns.share, share, t.advice.ofChosen(Math.round(all))];
}

function accuracyFigure(round: Round | undefined, name: string): Figure {
  const headline = round ? headlineOf(round) : null;
  if (headline) return [t.overview.latest(headline.name), formatPercent(headline.value)];
  if (round?.accuracy == null) return [name, "–"];
  const images = imagesOf(round);
  return [name, formatShare(shareOf(round.accuracy * images, images)), t.advice.interval(images)];
}
