import { useQuery } from "@tanstack/react-query";
import { type Draws, drawsQuery } from "../../api/guarantee";
import { headlineOf, imagesOf } from "../../api/measures";
import { roundsQuery } from "../../api/rounds";
import type { Project, Round } from "../../api/types";
import { t } from "../../strings";
import { Card } from "../../ui/Card";
import { formatCount } from "../../ui/format";
import { aboutOf, highOf, sureOf } from "../../ui/outOf";
import { Failure, Skeleton } from "../../ui/State";
import { FEWEST, of100Within, shareOf } from "../../ui/shares";
import { useSaid } from "../../ui/titled";
import { AskDraws } from "./AskDraws";
import styles from "./Guarantee.module.css";
import { Intervals, type Measured } from "./Intervals";
import { withinOf } from "./words";

/** How right the present model is on what nobody has looked at, by images drawn at random. */
export function DrawsCard({ project }: { project: Project }) {
  const { draws: text } = t.guarantee;
  const found = useQuery(drawsQuery(project.id));
  const said = useSaid();
  const rounds = useQuery(roundsQuery(project.id)).data?.items ?? [];
  const draws = found.data;
  return (
    <Card title={text.title} hint={text.hint}>
      {found.error && !draws && <Failure error={found.error} onRetry={() => found.refetch()} />}
      {!draws && !found.error && <Skeleton height="7rem" />}
      {draws && (
        <>
          {draws.accuracy && draws.accuracy.n >= FEWEST ? (
            <Told project={project} draws={draws} rounds={rounds} />
          ) : (
            <p className={styles.quiet}>{untold(draws, said)}</p>
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
function untold(draws: Draws, said: (sentence: string) => string): string {
  const { answered, waiting, refused, share_of_queue: share, accuracy, past } = draws;
  const { draws: text } = t.guarantee;
  if (refused !== null) return said(refused);
  const often = share > 0 ? text.every(formatCount(Math.round(1 / share))) : text.off;
  const waits = waiting > 0 ? text.waiting(waiting) : "";
  const unknown = answered > past ? text.later : past > 0 ? "" : text.none;
  const begun = accuracy ? text.few(accuracy.n, FEWEST) : unknown;
  const ended = past > 0 ? text.past(past) : "";
  return [begun, ended, waits, often].filter(Boolean).join(" ");
}

type ToldProps = { project: Project; draws: Draws; rounds: Round[] };

function Told({ project, draws, rounds }: ToldProps) {
  const { draws: text, everyLook } = t.guarantee;
  const { accuracy, inside, ood, ood_share: share, round, people, of, beyond, past } = draws;
  if (!accuracy) return null;
  const rows: Measured[] = [
    { name: text.all, value: accuracy },
    { name: text.inside, value: known(inside) },
    { name: text.ood, value: known(ood) },
    ...evaluated(rounds),
  ];
  const classes = draws.per_class.map(
    ({ class_id, n, share: right, low, high }): Measured => ({
      name: project.classes.find(({ id }) => id === class_id)?.name ?? String(class_id),
      hint: text.answeredOf(n),
      value: known({ n, share: right, low, high }),
      colour: project.classes.find(({ id }) => id === class_id)?.colour ?? "",
    }),
  );
  return (
    <>
      <p className={styles.says}>
        {text.says(...of100Within(accuracy.share, accuracy.low, accuracy.high))}
      </p>
      <Intervals label={text.right} rows={rows} />
      <p className={styles.quiet}>
        {everyLook(sureOf(draws.confidence))} {round !== null && text.basis(accuracy.n, round)}{" "}
        {of !== null && text.of(of)} {beyond > 0 && text.beyond(beyond)}{" "}
        {past > 0 && text.past(past)} {draws.unsure > 0 && text.unsure(draws.unsure)}{" "}
        {draws.waiting > 0 && text.waiting(draws.waiting)}
      </p>
      {share && <p className={styles.quiet}>{text.oodShare(withinOf(share))}</p>}
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

/** Of few no share is told, as everywhere. */
const known = <T extends { n: number }>(value: T | null): T | null =>
  value !== null && value.n >= FEWEST ? value : null;

/** Accuracy on the images that were brought for it, where there are any. */
function evaluated(rounds: readonly Round[]): Measured[] {
  const { draws: text } = t.guarantee;
  const round = rounds.findLast((one) => one.accuracy !== null && headlineOf(one) === null);
  if (!round || round.accuracy === null) return [];
  const images = imagesOf(round);
  const found = shareOf(round.accuracy * images, images);
  const value = found && { share: found.value, low: found.low, high: found.high };
  return [{ name: text.evaluation, hint: text.evaluationHint, value }];
}
