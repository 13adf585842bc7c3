import { useQueries } from "@tanstack/react-query";
import { Link } from "react-router";
import { useTitles } from "../../api/algorithms";
import { type Selection, selectionQuery } from "../../api/selections";
import type { Job, Project, Round } from "../../api/types";
import { t } from "../../strings";
import { Card } from "../../ui/Card";
import { formatCount } from "../../ui/format";
import { useJobsOfKind } from "../../ui/jobs/JobControls";
import { Parts, SpentMeter } from "../../ui/Meter";
import { RoundChip } from "../../ui/RoundChip";
import { Said } from "../../ui/Said";
import { Notice } from "../../ui/State";
import { percentEnds } from "../../ui/shares";
import { Table } from "../../ui/Table";
import { Actions } from "./Actions";
import { AgreementCard } from "./AgreementCard";
import { FirstSteps } from "./FirstSteps";
import { JobCard } from "./JobCard";
import styles from "./OverviewScreen.module.css";
import { PlansNotice } from "./PlansNotice";
import { poolParts } from "./poolParts";

type RankingOverviewProps = { project: Project; rounds: Round[]; jobs: Job[] };

/** Where nothing is trained: what is chosen, what people are asked about, and what they said. */
export function RankingOverview({ project, rounds, jobs }: RankingOverviewProps) {
  const text = t.overview.ranking;
  const { counts } = project;
  const selections = useSelections(project.id);
  return (
    <div className={styles.page}>
      {project.state !== "draft" && (
        <Actions project={project} rounds={rounds} chosen={selections[0]} />
      )}
      <PlansNotice projectId={project.id} />
      <FirstSteps project={project} />
      {project.warnings.map((warning) => (
        <Notice key={warning} tone="gold">
          <Said>{warning}</Said>
        </Notice>
      ))}
      {jobs.filter(isOfUse).map((job) => (
        <JobCard
          key={job.id}
          job={job}
          projectId={project.id}
          name={job.kind === "advance_round" ? text.closing : undefined}
        />
      ))}
      <div className={styles.top}>
        <Chosen project={project} selections={selections} />
        <Card title={text.pool} hint={text.rows(counts.pool)}>
          <Parts label={text.pool} parts={poolParts(project)} />
        </Card>
      </div>
      {rounds.length > 0 && (
        <Card title={t.overview.rounds}>
          <Rounds projectId={project.id} rounds={rounds} />
        </Card>
      )}
      {rounds.length > 0 && <AgreementCard project={project} />}
    </div>
  );
}

/** That an estimate failed is said where it was asked for. */
const isOfUse = (job: Job): boolean => !(job.dry_run && job.state === "failed");

/** What was chosen, the latest first, and the round in which people rank what was left open. */
function Chosen({ project, selections }: { project: Project; selections: Selection[] }) {
  const text = t.overview.ranking;
  const titleOf = useTitles("instruction_selection");
  const { current_round: round } = project;
  return (
    <Card title={text.latest}>
      {selections.length === 0 && <p>{text.latestNone}</p>}
      <ul className={styles.selections}>
        {selections.map(({ job_id: id, method, kept, rows, people }) => (
          <li key={id}>
            <Link to={`/projects/${project.id}/jobs/${id}`}>{titleOf(method)}</Link>:{" "}
            {text.latestSays(kept, rows)}{" "}
            {people != null && people.answered > 0 && text.byPeople(people.answered)}
          </li>
        ))}
      </ul>
      {round && <SpentMeter label={text.now(round.number)} round={round} />}
    </Card>
  );
}

/** As many selections are told of here; the page of jobs has all. */
const TOLD = 4;

/** The latest selections of a project, as they stand now that people have answered. */
function useSelections(projectId: number): Selection[] {
  const jobs = useJobsOfKind(projectId, "select_instructions").data?.items ?? [];
  const done = jobs.filter(({ state, dry_run }) => state === "succeeded" && !dry_run);
  const found = useQueries({
    queries: done.slice(0, TOLD).map(({ id }) => selectionQuery({ projectId, jobId: id })),
  });
  return found.flatMap(({ data }) => (data ? [data] : []));
}

/** What a round that is closed knows of its rankings. */
type Measured = {
  groups?: number;
  wrong?: number;
  agreement?: { tau?: number | null } | null;
  judge_agreement?: { agree: number; of: number; low: number; high: number } | null;
};

function Rounds({ projectId, rounds }: { projectId: number; rounds: Round[] }) {
  const { columns } = t.overview.ranking;
  const numbers = [
    columns.groups,
    columns.ranked,
    columns.none,
    columns.unsure,
    columns.wrong,
    columns.people,
    columns.judge,
  ];
  return (
    <Table label={t.overview.rounds}>
      <thead>
        <tr>
          <th scope="col">{columns.round}</th>
          <th scope="col">{columns.state}</th>
          {numbers.map((name) => (
            <th key={name} scope="col" data-number>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rounds.toReversed().map((round) => (
          <tr key={round.number}>
            <th scope="row">
              <Link to={`/projects/${projectId}/rounds/${round.number}`}>
                {t.projects.round(round.number)}
              </Link>
            </th>
            <td>
              <RoundChip round={round} rounds={rounds} />
            </td>
            {measuredOf(round).map((value, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: one for each column.
              <td key={index} data-number>
                {value}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

function measuredOf({ answered, metrics }: Round): string[] {
  const text = t.overview.ranking;
  const { groups, wrong, agreement, judge_agreement: judge } = metrics as Measured;
  const tau = agreement?.tau;
  return [
    groups === undefined ? "–" : formatCount(groups),
    formatCount(answered.label),
    formatCount(answered.ood),
    formatCount(answered.unsure),
    wrong === undefined ? "–" : formatCount(wrong),
    tau == null ? "–" : text.tau(tau.toFixed(2)),
    judge ? text.agree(judge.agree, judge.of, ...percentEnds(judge.low, judge.high)) : "–",
  ];
}
