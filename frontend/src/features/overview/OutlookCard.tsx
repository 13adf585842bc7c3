import { useQuery } from "@tanstack/react-query";
import { findsAll } from "../../api/projects";
import { outlookQuery } from "../../api/rounds";
import type { Project, Reason, Round } from "../../api/types";
import { t } from "../../strings";
import { leftTitle } from "../../tasks/stateNames";
import { traitsOf } from "../../tasks/traits";
import { Card } from "../../ui/Card";
import { Chip } from "../../ui/Chip";
import { formatCount, formatPercent } from "../../ui/format";
import { basisOf, oodLeftOf, told } from "../../ui/oodLeft";
import { Failure, Skeleton } from "../../ui/State";
import { FEWEST, formatShare, shareOf } from "../../ui/shares";
import { Finding } from "./FindingCard";
import styles from "./OverviewScreen.module.css";

const { outlook: text, oodLeft } = t.overview;
const { finding } = t.advice;

const TONES = { stop: "gold", go_on: "good", unclear: "plain", unknown: "plain" } as const;

/** Whether another round is expected to pay, and what speaks for it. */
export function OutlookCard({ project, rounds }: { project: Project; rounds: Round[] }) {
  const { data, error, refetch } = useQuery(outlookQuery(project.id));
  // By what was asked for: the goal may have changed since.
  const isFinding = data ? data.goal === "find_all" : findsAll(project);
  return (
    <Card
      title={isFinding ? finding.title : text.title}
      hint={data && (isFinding ? finding : text).advice[data.advice]}
      actions={data && <Chip tone={TONES[data.advice]}>{text.chips[data.advice]}</Chip>}
    >
      {error && !data && <Failure error={error} onRetry={() => refetch()} />}
      {!data && !error && <Skeleton height="5rem" />}
      {data && isFinding && <Finding outlook={data} />}
      {data && !isFinding && (
        <ul className={styles.reasons}>
          {data.reasons.map((reason) => (
            <li key={reason.code}>{sentence(reason, project, rounds)}</li>
          ))}
        </ul>
      )}
    </Card>
  );
}

function sentence({ code, values }: Reason, project: Project, rounds: Round[]): string {
  const { counts } = project;
  const percent = (name: string) => formatPercent(values[name] ?? 0);
  const whole = (name: string) => Math.round(values[name] ?? 0);
  const count = (name: string) => formatCount(whole(name));
  const each = (name: string) =>
    formatPercent((100 * (values[name] ?? 0)) / Math.max(1, values.verdicts ?? 0));
  // With its interval; where so few were asked that it says nothing, without.
  const share = (value: number, of: number) =>
    of < FEWEST ? formatPercent(value) : formatShare(shareOf(value * of, of));
  switch (code) {
    case "gain":
      if (Math.round(values.more ?? 0) === 0) return text.noLabels;
      return [
        text.gain(
          percent("gain"),
          percent("low"),
          percent("high"),
          whole("verdicts"),
          whole("more"),
        ),
        text.perVerdicts(each("gain"), each("low"), each("high")),
        text.needed(percent("least")),
      ].join(" ");
    case "few_labels":
      if (Math.round(values.more ?? 0) === 0) return text.noLabels;
      return text.fewLabels(whole("more"), whole("verdicts"), percent("high"), percent("least"));
    case "ceiling":
      return text.ceiling(percent("least"));
    case "evaluation":
      return text.evaluation(share(values.accuracy ?? 0, values.examples ?? 0), whole("examples"));
    case "draws":
      return text.draws(share(values.accuracy ?? 0, values.examples ?? 0), whole("examples"));
    case "no_accuracy":
      if (traitsOf(project).measure === "precision") {
        return counts.evaluation > 0 ? text.boxes : text.noBoxes;
      }
      if (counts.evaluation > 0) return text.noAccuracy;
      return text.noEvaluation(FEWEST, t.guarantee.draws.ask);
    case "few_rounds":
      return text.fewRounds(count("rounds"), count("needed"));
    case "in_share":
      return text.inShare(
        share(values.last ?? 0, values.answers ?? 0),
        (values.best ?? 0) > (values.last ?? 0) ? percent("best") : null,
        count("inside"),
        count("answers"),
      );
    case "pool":
      return inPool(latestOf(rounds), whole("unlabeled"));
    default:
      return code;
  }
}

/** How many of the images that nobody has looked at are of a class: as many as are not OOD. */
export function inPool(round: Round | undefined, unlabeled: number): string {
  const left = round && oodLeftOf(round);
  if (!left) return text.poolUnknown(unlabeled);
  const but = (ood: number) => formatCount(Math.round(left.unlabeled - ood));
  return text.pool(round.number, left.unlabeled, but(left.count), but(left.low ?? 0));
}

/** The last round that has an estimate of the OOD that is left. */
const latestOf = (rounds: Round[]): Round | undefined =>
  rounds.findLast((one) => one.ood_left?.count != null);

/** How much OOD is left among the images that nobody has looked at. */
export function OodLeftCard({ project, rounds }: { project: Project; rounds: Round[] }) {
  const round = latestOf(rounds);
  return (
    <Card title={leftTitle(project)} hint={round ? oodLeft.hint(round.number) : oodLeft.none}>
      {round && <Estimates round={round} />}
    </Card>
  );
}

function Estimates({ round }: { round: Round }) {
  const left = oodLeftOf(round);
  if (!left) {
    const few = round.ood_left && basisOf(round.ood_left);
    return few && <p className={styles.reasons}>{oodLeft.few(few.name, few.answers, FEWEST)}</p>;
  }
  const whole = (value: number) => formatCount(Math.round(value));
  const rows = [
    { name: oodLeft.byRandom, one: told(left.by_random) },
    { name: oodLeft.byPurity, one: told(left.by_purity) },
  ];
  return (
    <>
      <p className={styles.estimate}>
        <strong>{whole(left.count)}</strong> {oodLeft.of(left.unlabeled)}
        <small>{oodLeft.interval(whole(left.low ?? 0), whole(left.high ?? 0))}</small>
      </p>
      <ul className={styles.reasons}>
        {rows.map(
          ({ name, one }) =>
            one && (
              <li key={name}>
                {name}:{" "}
                {oodLeft.row(whole(one.count), whole(one.low), whole(one.high), one.answers)}
              </li>
            ),
        )}
        <li>{left.agree === false ? oodLeft.disagree : oodLeft.bias}</li>
      </ul>
    </>
  );
}
