import { Link } from "react-router";
import { parametersOf } from "../../api/algorithms";
import { headlineOf, imagesOf, imagesSaid, purityWeightOf, tellingOf } from "../../api/measures";
import { pageUrl } from "../../api/pages";
import type { Algorithm, Choice, ParamSchema, Project, Round, Settings } from "../../api/types";
import { t } from "../../strings";
import { leftTitle } from "../../tasks/stateNames";
import { traitsOf } from "../../tasks/traits";
import { Card } from "../../ui/Card";
import { type Figure, Figures } from "../../ui/Figures";
import {
  formatCount,
  formatPercent,
  formatSeconds,
  formatWholePercent,
  hasEnd,
} from "../../ui/format";
import { oodLeftOf } from "../../ui/oodLeft";
import { labelOf, wordsOf } from "../../ui/ParamsForm";
import {
  aurocOf,
  FEWEST,
  formatAuroc,
  formatMeasured,
  formatShare,
  shareOf,
} from "../../ui/shares";
import { Notes } from "./Notes";
import styles from "./RoundScreen.module.css";

const { facts, phases, settings } = t.rounds;
const { firstQueue } = t.advice;

/** What annotators said, and what the model became by it. */
export function FactsCard({ round, project }: { round: Round; project: Project }) {
  const { classes } = project;
  const { measure, emptyLabel } = traitsOf(project);
  const { label, no_objects: nothing, ood, unsure, skip } = round.answered;
  const verdicts = label + ood + unsure + skip;
  const left = oodLeftOf(round);
  const said = imagesSaid(round);
  const images = imagesOf(round);
  const of = t.advice.interval;
  const told = classes.length === 1 ? tellingOf(round) : null;
  const perClassImages = (round.metrics.per_class_examples ?? {}) as Record<string, number>;
  const headline = headlineOf(round);
  const weight = purityWeightOf(round);
  const accuracy: Figure = [
    classes.length === 1 ? t.advice.oneClass.accuracy : facts.accuracy,
    formatMeasured(round.accuracy, images),
    of(images),
  ];
  const figures: Figure[] = [
    [facts.verdicts, formatCount(verdicts)],
    ...(emptyLabel ? [[t.boxes.none, formatCount(nothing), t.boxes.tips.none] as Figure] : []),
    [facts.spent, t.projects.spent(round.spent, hasEnd(round.budget) ? round.budget : null)],
    [
      facts.share,
      said.all > 0 ? formatShare(shareOf(said.inside, said.all)) : "–",
      t.advice.ofChosen(Math.round(said.all)),
    ],
    [
      facts.auroc,
      round.purity_auroc === null
        ? "–"
        : formatAuroc(aurocOf(round.purity_auroc, said.inside, said.ood)),
      facts.aurocHint,
    ],
    ...(headline || measure === "precision" ? precisionFigures(round) : [accuracy]),
    ...(told
      ? [
          [
            t.advice.oneClass.auroc,
            formatAuroc(aurocOf(told.auroc, told.inside, told.ood)),
            of(told.inside + told.ood),
          ] as Figure,
        ]
      : []),
    ...(weight === null
      ? []
      : [[facts.weight, formatWholePercent(weight), facts.weightHint] as Figure]),
    [facts.hours, round.annotator_seconds > 0 ? formatSeconds(round.annotator_seconds) : "–"],
    [leftTitle(project), left ? formatCount(Math.round(left.count)) : "–"],
  ];
  const perClass = (round.metrics.per_class ?? {}) as Record<string, number | null>;
  const judged = classes.filter((one) => String(one.id) in perClass);
  return (
    <Card title={facts.title}>
      <Figures figures={figures} />
      {judged.length > 0 && (
        <Bars
          title={headline ? facts.perClassPrecision : facts.perClass}
          rows={judged.map((one) => ({
            name: one.name,
            share: !headline && isTooFew(perClassImages[one.id]) ? 0 : (perClass[one.id] ?? 0),
            // A precision is the share of nothing that could be counted.
            text: headline
              ? formatPercent(perClass[one.id] ?? null)
              : formatMeasured(perClass[one.id] ?? null, perClassImages[one.id]),
          }))}
        />
      )}
      {round.notes.length > 0 && (
        <section>
          <h3>{facts.notes}</h3>
          <Notes notes={round.notes} />
        </section>
      )}
    </Card>
  );
}

const isTooFew = (images: number | undefined): boolean => images !== undefined && images < FEWEST;

/** What boxes are judged by, the headline first. */
function precisionFigures(round: Round): Figure[] {
  const headline = headlineOf(round);
  const more = (["map50", "ar100"] as const).filter((key) => key in round.metrics);
  return [
    [
      headline?.name ?? t.overview.foundWell,
      formatPercent(headline?.value ?? null),
      facts.precision.hint,
    ],
    ...more.map(
      (key): Figure => [
        facts.precision[key],
        formatPercent(round.metrics[key] as number | null),
        facts.precision.hints[key],
      ],
    ),
  ];
}

/** How long each phase of the closing job took. */
export function PhasesCard({ round }: { round: Round }) {
  const order = Object.keys(t.common.phases);
  const spent = Object.entries(round.seconds).sort(
    ([one], [other]) => order.indexOf(one) - order.indexOf(other),
  );
  const total = spent.reduce((sum, [, seconds]) => sum + seconds, 0);
  const longest = Math.max(...spent.map(([, seconds]) => seconds), 0);
  return (
    <Card
      title={phases.title}
      hint={spent.length > 0 ? phases.hint(formatSeconds(total)) : phases.none}
    >
      <Bars
        rows={spent.map(([phase, seconds]) => ({
          name: t.common.phases[phase] ?? phase,
          share: longest > 0 ? seconds / longest : 0,
          text: formatSeconds(seconds),
        }))}
      />
    </Card>
  );
}

type Row = { name: string; share: number; text: string };

function Bars({ title, rows }: { title?: string; rows: Row[] }) {
  return (
    <section>
      {title && <h3>{title}</h3>}
      <dl className={styles.bars}>
        {rows.map(({ name, share, text }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <span className={styles.bar} style={{ inlineSize: `${100 * share}%` }} />
              <span>{text}</span>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

const KINDS = ["strategy", "purity", "informativeness", "model"] as const;

/** What chose the images and learned from them. */
export function SettingsCard({ round, algorithms }: { round: Round; algorithms: Algorithm[] }) {
  const chosen = round.settings as Record<(typeof KINDS)[number], Choice>;
  // No strategy and no score had a say in what the first round asks about.
  const first = round.number === 0;
  const kinds = first ? (["model"] as const) : KINDS;
  return (
    <Card title={settings.title} hint={first ? settings.drawn : settings.hint}>
      <dl className={styles.settings}>
        {first && <FirstQueue chosen={(round.settings as Settings).first_queue} />}
        {kinds.map((kind) => {
          const { name, params } = chosen[kind];
          const known = algorithms.find((one) => one.kind === kind && one.name === name);
          const page = pageUrl({ kind, name });
          return (
            <div key={kind}>
              <dt>{settings.kinds[kind]}</dt>
              <dd>
                {page ? <Link to={page}>{known?.title ?? name}</Link> : (known?.title ?? name)}
                <small>{paramsText(params, known)}</small>
              </dd>
            </div>
          );
        })}
        <div>
          <dt>{settings.seed}</dt>
          <dd>{round.seed}</dd>
        </div>
      </dl>
    </Card>
  );
}

/** What the first round asks about in the place of what a strategy chooses. */
function FirstQueue({ chosen }: { chosen: Settings["first_queue"] }) {
  return (
    <div>
      <dt>{settings.kinds.strategy}</dt>
      <dd>
        {firstQueue.label}
        <small>{firstQueue[chosen]}</small>
      </dd>
    </div>
  );
}

/** A value without what programs call it, which a form says as well. */
const plainly = (value: unknown, schema: ParamSchema | undefined): string =>
  wordsOf(value, schema).replace(` (${value})`, "");

function paramsText(params: Choice["params"], algorithm: Algorithm | undefined): string {
  // One without a value is chosen by the algorithm itself.
  const entries = Object.entries(params).filter(([, value]) => value !== null);
  if (entries.length === 0) return settings.defaults;
  const schemas = algorithm ? parametersOf(algorithm) : {};
  return entries
    .map(([name, value]) => `${labelOf(name, schemas[name])}: ${plainly(value, schemas[name])}`)
    .join(" · ");
}
