import { Fragment } from "react";
import { Link } from "react-router";
import { useStrategyOf } from "../../api/algorithms";
import { headlineOf, imagesOf, imagesSaid } from "../../api/measures";
import type { Project, Round } from "../../api/types";
import { t } from "../../strings";
import { noneOf } from "../../tasks/stateNames";
import { traitsOf } from "../../tasks/traits";
import { Explained } from "../../ui/Explained";
import { formatCost, formatCount, formatPercent, formatSeconds, hasEnd } from "../../ui/format";
import { RoundChip } from "../../ui/RoundChip";
import { formatMeasured, formatShare, shareOf } from "../../ui/shares";
import { Table } from "../../ui/Table";
import { Term } from "../../ui/Term";
import { useSaid } from "../../ui/titled";
import { notesOf } from "./notes";
import styles from "./OverviewScreen.module.css";

const { tips } = t.boxes;

type RoundsTableProps = { project: Pick<Project, "id" | "task">; rounds: Round[] };

export function RoundsTable({ project: { id: projectId, task }, rounds }: RoundsTableProps) {
  const said = useSaid();
  const { columns, foundWell } = t.overview;
  const { measure, emptyLabel } = traitsOf({ task });
  const { short: none, text: noneText } = noneOf({ task });
  const usual = measure === "precision" ? foundWell : columns.accuracy;
  const strategyOf = useStrategyOf();
  return (
    <div className={styles.rounds}>
      <Table label={t.overview.rounds}>
        <thead>
          <tr>
            <th scope="col">{columns.round}</th>
            <th scope="col">{columns.state}</th>
            <th scope="col">{columns.strategy}</th>
            <th scope="col" data-number>
              {columns.spent}
            </th>
            <th scope="col" data-number>
              {emptyLabel ? (
                <Term text={tips.some}>{t.boxes.some}</Term>
              ) : (
                <Term of="inside">{columns.in}</Term>
              )}
            </th>
            {emptyLabel && (
              <th scope="col" data-number>
                <Term text={tips.none}>{t.boxes.none}</Term>
              </th>
            )}
            <th scope="col" data-number>
              {noneText ? <Term text={noneText}>{none}</Term> : <Term of="ood">{none}</Term>}
            </th>
            <th scope="col" data-number>
              {columns.unsure}
            </th>
            <th scope="col" data-number>
              {columns.share}
            </th>
            <th scope="col" data-number>
              {rounds.map((round) => headlineOf(round)?.name).find(Boolean) ?? usual}
            </th>
            <th scope="col" data-number>
              {columns.training}
            </th>
          </tr>
        </thead>
        <tbody>
          {shownOf(rounds).map(({ round, notes }) => (
            <Fragment key={round.number}>
              <tr>
                <th scope="row">
                  <Link to={`/projects/${projectId}/rounds/${round.number}`}>
                    {t.projects.round(round.number)}
                  </Link>
                </th>
                <td>
                  <RoundChip round={round} rounds={rounds} />
                </td>
                <td>{strategyOf(round)}</td>
                <td data-number>
                  {formatCost(round.spent)}
                  {hasEnd(round.budget) && (
                    <span className={styles.quiet}> / {formatCost(round.budget)}</span>
                  )}
                </td>
                <td data-number>{formatCount(round.answered.label - round.answered.no_objects)}</td>
                {emptyLabel && <td data-number>{formatCount(round.answered.no_objects)}</td>}
                <td data-number>{formatCount(round.answered.ood)}</td>
                <td data-number>{formatCount(round.answered.unsure)}</td>
                <ShareCell round={round} />
                <td data-number title={t.advice.interval(imagesOf(round))}>
                  {measuredOf(round)}
                </td>
                <td data-number>{trainingTime(round)}</td>
              </tr>
              {notes.length > 0 && (
                <tr>
                  <td colSpan={emptyLabel ? 11 : 10} className={styles.notes}>
                    <div>
                      <Explained>{notes.map(said).join(" ")}</Explained>
                    </div>
                  </td>
                </tr>
              )}
            </Fragment>
          ))}
        </tbody>
      </Table>
    </div>
  );
}

/** The rounds, the latest first, each with what has not been said above it. */
const shownOf = (rounds: Round[]) =>
  rounds.map((round, at) => ({ round, notes: notesOf(round, rounds[at + 1]) })).reverse();

function ShareCell({ round }: { round: Round }) {
  const { inside, all } = imagesSaid(round);
  return (
    <td data-number title={t.advice.ofChosen(Math.round(all))}>
      {all > 0 ? formatShare(shareOf(inside, all)) : "–"}
    </td>
  );
}

function trainingTime(round: Round): string {
  const total = Object.values(round.seconds).reduce((sum, seconds) => sum + seconds, 0);
  return total > 0 ? formatSeconds(total) : "–";
}

/** What the round is judged by. */
function measuredOf(round: Round): string {
  const headline = headlineOf(round);
  if (headline) return formatPercent(headline.value);
  return formatMeasured(round.accuracy, imagesOf(round));
}
