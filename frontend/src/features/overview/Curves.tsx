import { useQueries, useQuery } from "@tanstack/react-query";
import { useSearchParams } from "react-router";
import { useTitles } from "../../api/algorithms";
import { headlineOf, imagesOf, imagesSaid, purityWeightOf } from "../../api/measures";
import { findsAll } from "../../api/projects";
import { comparableQuery, roundsQuery } from "../../api/rounds";
import type { Comparable, Project, Round } from "../../api/types";
import { t } from "../../strings";
import { noneOf } from "../../tasks/stateNames";
import { traitsOf } from "../../tasks/traits";
import { Card } from "../../ui/Card";
import { Chart } from "../../ui/Chart";
import { formatCost, formatPercent, formatSeconds, formatWholePercent } from "../../ui/format";
import { poolShareOf } from "../../ui/oodLeft";
import { aurocOf, FEWEST, type Known, shareOf } from "../../ui/shares";
import { costParts } from "./costs";
import { LearningCurve } from "./LearningCurve";
import styles from "./OverviewScreen.module.css";
import { curvesOf, type Run, repeatsOf } from "./runs";

const { curves: text, columns } = t.overview;
const MOST_RUNS = 12;

export function Curves({ project, rounds }: { project: Project; rounds: Round[] }) {
  const { chosen, candidates, choose } = useChosen(project);
  const titleOf = useTitles("strategy");
  const others = useQueries({
    queries: chosen.map((one) => roundsQuery(one.id)),
    combine: (results) => results.map((result) => result.data?.items ?? []),
  });
  const runs: Run[] = [
    {
      id: project.id,
      name: project.name,
      strategy: titleOf(project.settings?.strategy.name ?? ""),
      rounds,
    },
    ...chosen.map((one, index) => ({
      ...one,
      strategy: titleOf(one.strategy),
      rounds: others[index] ?? [],
    })),
  ];
  const done = rounds.filter((round) => round.state === "closed" || round.state === "closing");
  const share = done.flatMap((round) => {
    const { inside, all } = imagesSaid(round);
    const known = shareOf(inside, all);
    return known ? [{ x: round.number, y: known.value, low: known.low, high: known.high }] : [];
  });
  const weight = rounds.flatMap((round) => {
    const y = purityWeightOf(round);
    return y === null ? [] : [{ x: round.number, y }];
  });
  // Where only purity counts there is nothing to be seen.
  const isWeighed = weight.some(({ y }) => y < 1);
  const { measure, emptyLabel } = traitsOf(project);
  const accuracy = curvesOf(runs, accuracyOf);
  const isOneClass = project.classes.length === 1 && measure === "accuracy";
  const usual = measure === "precision" ? t.overview.foundWell : text.accuracy;
  const named = isOneClass ? t.advice.oneClass.accuracy : usual;
  const headline = rounds.map((round) => headlineOf(round)?.name).find(Boolean);
  // What round 0 drew at random estimates the pool's share of IN.
  const pool = poolShareOf(done.find((round) => round.number === 0));
  return (
    <Card
      title={text.title}
      actions={candidates.length > 0 && <Compare {...{ candidates, chosen, choose }} />}
    >
      <div className={styles.curves}>
        {(!findsAll(project) || accuracy.some(({ points }) => points.length > 0)) && (
          <LearningCurve
            title={headline ?? named}
            hint={isOneClass && !headline ? t.advice.oneClass.hint : text.accuracyHint}
            empty={noAccuracy(project, done)}
            curves={accuracy}
            format={formatWholePercent}
            chance={0}
          />
        )}
        <Chart
          title={text.share}
          hint={text.shareHint}
          summary={summaryOf(share) ?? (done.length > 0 ? text.tooFew(FEWEST) : text.empty)}
          format={formatWholePercent}
          line={share}
          range={[0, 1]}
          reference={pool && { value: pool.value, label: text.poolShare }}
          xLabel={text.round}
        />
        <LearningCurve
          title={text.auroc}
          hint={text.aurocHint}
          empty={text.noAuroc}
          curves={curvesOf(runs, purityOf)}
          format={(value) => value.toFixed(2)}
          chance={0.5}
        />
        <Chart
          title={text.cost}
          hint={text.costHint}
          summary={done.length > 0 ? text.costHint : text.empty}
          format={formatCost}
          bars={done.map((round) => ({ x: round.number, parts: costParts(round) }))}
          tones={{
            ...columns,
            in: emptyLabel ? t.boxes.either : columns.in,
            ood: noneOf(project).short,
          }}
          xLabel={text.round}
        />
        {isWeighed && (
          <Chart
            title={text.weight}
            hint={text.weightHint}
            summary={summaryOf(weight) ?? text.empty}
            format={formatWholePercent}
            line={weight}
            range={[0, 1]}
            reference={{ value: 0.5, label: text.weightEven }}
            xLabel={text.round}
          />
        )}
      </div>
      <p className={styles.quiet}>{text.spent(...totals(rounds))}</p>
    </Card>
  );
}

/** Why no accuracy is drawn. */
function noAccuracy(project: Project, done: Round[]): string {
  const { classes, counts } = project;
  const isShare = traitsOf(project).measure === "accuracy";
  if (done.length === 0) return text.empty;
  if (done.some((round) => round.accuracy !== null)) return t.advice.fewImages;
  if (counts.evaluation === 0) return isShare ? text.noEvaluation : text.noBoxes;
  return classes.length === 1 && isShare ? t.advice.oneClass.none : text.noAccuracy;
}

function accuracyOf(round: Round): Known | null {
  const value = headlineOf(round)?.value;
  // A mean precision is the share of nothing that could be counted, so it has no interval.
  if (value != null) return { value, low: value, high: value };
  const images = imagesOf(round);
  return round.accuracy === null ? null : shareOf(round.accuracy * images, images);
}

function purityOf(round: Round): Known | null {
  const { inside, ood } = imagesSaid(round);
  return round.purity_auroc === null ? null : aurocOf(round.purity_auroc, inside, ood);
}

function totals(rounds: Round[]): [cost: string, time: string] {
  const sum = (value: (round: Round) => number) =>
    rounds.reduce((total, round) => total + value(round), 0);
  return [formatCost(sum((one) => one.spent)), formatSeconds(sum((one) => one.annotator_seconds))];
}

function summaryOf(points: { x: number; y: number }[]): string | null {
  const last = points.at(-1);
  return last ? `${text.round(last.x)}: ${formatPercent(last.y)}` : null;
}

/** Which other projects are compared with: those the address says, else repetitions of this one. */
function useChosen({ id: projectId, settings }: Project) {
  const [search, setSearch] = useSearchParams();
  const candidates = useQuery(comparableQuery(projectId)).data?.items ?? [];
  const named = search.get("with")?.split(",").map(Number);
  const repeats = settings
    ? repeatsOf({ strategy: settings.strategy.name, seed: settings.seed }, candidates)
    : [];
  const chosen = (named ? candidates.filter((one) => named.includes(one.id)) : repeats).slice(
    0,
    MOST_RUNS,
  );
  const choose = (id: number) => {
    const before = chosen.map((one) => one.id);
    const now = before.includes(id) ? before.filter((one) => one !== id) : [...before, id];
    setSearch(
      (query) => {
        query.set("with", now.join(","));
        return query;
      },
      { replace: true },
    );
  };
  return { candidates, chosen, choose };
}

type CompareProps = {
  candidates: Comparable[];
  chosen: Comparable[];
  choose: (id: number) => void;
};

function Compare({ candidates, chosen, choose }: CompareProps) {
  const titleOf = useTitles("strategy");
  return (
    <details className={styles.compare}>
      <summary>{text.compare}</summary>
      <fieldset>
        <legend>{text.compareHint}</legend>
        {candidates.map((one) => {
          const isChosen = chosen.some(({ id }) => id === one.id);
          return (
            <label key={one.id}>
              <input
                type="checkbox"
                checked={isChosen}
                disabled={!isChosen && chosen.length >= MOST_RUNS}
                onChange={() => choose(one.id)}
              />
              <span>
                {one.name}
                <small>{text.candidate(titleOf(one.strategy), one.seed, one.same_pool)}</small>
              </span>
            </label>
          );
        })}
      </fieldset>
    </details>
  );
}
