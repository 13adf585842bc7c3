import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { jobsOfKindQuery } from "../../api/rounds";
import type { Project, Round } from "../../api/types";
import { t } from "../../strings";
import { ButtonLink } from "../../ui/Button";
import { Card } from "../../ui/Card";
import { type Figure, Figures } from "../../ui/Figures";
import { formatCount, formatSeconds } from "../../ui/format";
import { Failure } from "../../ui/State";
import { percentEnds } from "../../ui/shares";
import { AskedCard } from "./Gallery";
import { Notes } from "./Notes";
import { useQuerySet } from "./useMap";

type RankingRoundProps = {
  project: Project;
  round: Round;
  /** The groups that a job gave to people, with what became of their rows. */
  groupsOf: (jobId: number) => ReactNode;
};

/** A round in which people put rows in order: what they said, and what it decides. */
export function RankingRound({ project, round, groupsOf }: RankingRoundProps) {
  const text = t.rounds.ranking;
  const jobs = useQuery(jobsOfKindQuery(project.id, "select_instructions")).data?.items;
  const chosen = jobs?.find(({ dry_run, result }) => {
    const people = (result?.people ?? null) as { round?: number | null } | null;
    return !dry_run && people?.round === round.number;
  });
  return (
    <>
      <Card title={t.rounds.facts.title} hint={text.hint}>
        <Figures figures={rankingFigures(round)} />
        {round.notes.length > 0 && <Notes notes={round.notes} />}
        {chosen && (
          <p>
            <ButtonLink to={`/projects/${project.id}/jobs/${chosen.id}`} size="small">
              {text.toChosen}
            </ButtonLink>
          </p>
        )}
      </Card>
      {chosen ? groupsOf(chosen.id) : jobs && <Asked project={project} round={round} />}
    </>
  );
}

const NONE: ReadonlySet<string> = new Set();

/** Groups that no choice of rows is known for any more: the first row of each. */
function Asked({ project, round }: { project: Project; round: Round }) {
  const queries = useQuerySet(project.id, round.number);
  if (queries.error) return <Failure error={queries.error} onRetry={() => queries.retry()} />;
  return <AskedCard project={project} round={round} queries={queries} hidden={NONE} />;
}

type Measured = {
  groups?: number;
  wrong?: number;
  agreement?: { tau?: number | null } | null;
  judge_agreement?: { agree: number; of: number; low: number; high: number } | null;
};

/** What is known of a round of rankings; what is not is left out. */
export function rankingFigures(round: Round): Figure[] {
  const { columns, tau: tauText, agree } = t.overview.ranking;
  const text = t.rounds.ranking;
  const { groups, wrong, agreement, judge_agreement: judge } = round.metrics as Measured;
  const { label, ood, unsure, skip } = round.answered;
  const figures: (Figure | false)[] = [
    [text.asked, formatCount(groups ?? round.queries)],
    [columns.ranked, formatCount(label)],
    [columns.none, formatCount(ood)],
    [columns.unsure, formatCount(unsure)],
    skip > 0 && [text.skipped, formatCount(skip)],
    wrong !== undefined && [columns.wrong, formatCount(wrong)],
    agreement?.tau != null && [columns.people, tauText(agreement.tau.toFixed(2))],
    judge != null && [
      columns.judge,
      agree(judge.agree, judge.of, ...percentEnds(judge.low, judge.high)),
    ],
    round.annotator_seconds > 0 && [text.time, formatSeconds(round.annotator_seconds)],
  ];
  return figures.filter((one): one is Figure => one !== false);
}
