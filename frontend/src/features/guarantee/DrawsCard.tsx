import { useQuery } from "@tanstack/react-query";
import { type Draws, drawsQuery } from "../../api/guarantee";
import { headlineOf, imagesOf } from "../../api/measures";
import { roundsQuery } from "../../api/rounds";
import type { Project, Round } from "../../api/types";
import { t } from "../../strings";
import { Card } from "../../ui/Card";
import { formatPercent } from "../../ui/format";
import { aboutOf, highestOf, highOf, lowestOf, nearestOf, sureOf } from "../../ui/outOf";
import { Failure, Skeleton } from "../../ui/State";
import { shareOf } from "../../ui/shares";
import { AskDraws } from "./AskDraws";
import styles from "./Guarantee.module.css";
import { Intervals, type Measured } from "./Intervals";

/** How right the present model is on what nobody has looked at, by images drawn at random. */
export function DrawsCard({ project }: { project: Project }) {
  const { draws: text } = t.guarantee;
  const found = useQuery(drawsQuery(project.id));
  const rounds = useQuery(roundsQuery(project.id)).data?.items ?? [];
  const draws = found.data;
  return (
    <Card title={text.title} hint={text.hint}>
      {found.error && !draws && <Failure error={found.error} onRetry={() => found.refetch()} />}
      {!draws && !found.error && <Skeleton height="7rem" />}
      {draws && (
        <>
          {draws.accuracy ? (
            <Told project={project} draws={draws} rounds={rounds} />
          ) : (
            <p className={styles.quiet}>{untold(draws)}</p>
          )}
          {draws.refused === null && project.state !== "draft" && (
            <AskDraws projectId={project.id} />
          )}
        </>
      )}
    </Card>
  );
}

/** Why there is no share yet, and what to wait for. */
function untold({ answered, waiting, refused, share_of_queue: share }: Draws): string {
  const { draws: text } = t.guarantee;
  if (refused !== null) return t.common.said(refused);
  const often = share > 0 ? text.every(nearestOf(1 / share / 100)) : text.off;
  const waits = waiting > 0 ? text.waiting(waiting) : "";
  const begun = answered > 0 ? text.later : text.none;
  return [begun, waits, often].filter(Boolean).join(" ");
}

type ToldProps = { project: Project; draws: Draws; rounds: Round[] };

function Told({ project, draws, rounds }: ToldProps) {
  const { draws: text, everyLook } = t.guarantee;
  const { accuracy, inside, ood, ood_share: share, round, people } = draws;
  if (!accuracy) return null;
  const rows: Measured[] = [
    { name: text.all, value: accuracy },
    { name: text.inside, value: inside },
    { name: text.ood, value: ood },
    ...evaluated(rounds),
  ];
  const classes = draws.per_class.map(
    ({ class_id, n, share: right, low, high }): Measured => ({
      name: project.classes.find(({ id }) => id === class_id)?.name ?? String(class_id),
      hint: text.answeredOf(n),
      value: { share: right, low, high },
      colour: project.classes.find(({ id }) => id === class_id)?.colour ?? "",
    }),
  );
  return (
    <>
      <p className={styles.says}>
        {text.says(nearestOf(accuracy.share), lowestOf(accuracy.low), highestOf(accuracy.high))}
      </p>
      <Intervals label={text.right} rows={rows} />
      <p className={styles.quiet}>
        {everyLook(sureOf(draws.confidence))}{" "}
        {round !== null && text.basis(draws.answered, draws.unlooked, round)}{" "}
        {draws.unsure > 0 && text.unsure(draws.unsure)}{" "}
        {draws.waiting > 0 && text.waiting(draws.waiting)}
      </p>
      {share && (
        <p className={styles.quiet}>
          {text.oodShare(
            t.advice.within(formatPercent(share.share), lowestOf(share.low), highestOf(share.high)),
          )}
        </p>
      )}
      {people && (
        <p className={styles.quiet}>
          {text.people(people.pairs, people.disagreed, aboutOf(people.share), highOf(people.high))}
        </p>
      )}
      {classes.length > 1 && (
        <details className={styles.more}>
          <summary>{text.perClass}</summary>
          <Intervals label={text.perClass} rows={classes} />
        </details>
      )}
    </>
  );
}

/** Accuracy on the images that were brought for it, where there are any. */
function evaluated(rounds: readonly Round[]): Measured[] {
  const { draws: text } = t.guarantee;
  const round = rounds.findLast((one) => one.accuracy !== null && headlineOf(one) === null);
  if (!round || round.accuracy === null) return [];
  const images = imagesOf(round);
  const known = shareOf(round.accuracy * images, images);
  const value = known && { share: known.value, low: known.low, high: known.high };
  return [{ name: text.evaluation, hint: text.evaluationHint, value }];
}
