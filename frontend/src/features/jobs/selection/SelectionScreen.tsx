import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { useTitles } from "../../../api/algorithms";
import {
  type Selection,
  type SelectionFormat,
  selectionQuery,
  selectionUrl,
} from "../../../api/selections";
import type { Job, Project, Settings } from "../../../api/types";
import { t } from "../../../strings";
import { ButtonLink } from "../../../ui/Button";
import { Card } from "../../../ui/Card";
import { type Figure, Figures } from "../../../ui/Figures";
import { formatCount, formatPercent, formatWholePercent } from "../../../ui/format";
import { useManages } from "../../../ui/managing";
import { Said } from "../../../ui/Said";
import { Failure, Loading, Notice, Skeleton } from "../../../ui/State";
import styles from "../JobsScreen.module.css";
import { ClustersCard } from "./ClustersCard";
import { CompareCard } from "./CompareCard";
import { CostCard } from "./CostCard";
import { LengthsCard } from "./LengthsCard";
import { PeopleCard } from "./PeopleCard";
import { ReasonsTable } from "./ReasonsTable";
import { RowsCard } from "./RowsCard";
import { TopicsCard } from "./TopicsCard";

const FORMATS: SelectionFormat[] = ["alpaca", "messages", "parquet", "ids"];

type SelectionScreenProps = { project: Project & { settings: Settings }; job: Job };

/** What a job `select_instructions` keeps and drops, and why. */
export function SelectionScreen({ project, job }: SelectionScreenProps) {
  const place = { projectId: project.id, jobId: job.id };
  const found = useQuery(selectionQuery(place));
  if (found.error && !found.data)
    return <Failure error={found.error} onRetry={() => found.refetch()} />;
  if (!found.data) {
    return (
      <Loading>
        <Skeleton height="20rem" />
      </Loading>
    );
  }
  return <Found project={project} selection={found.data} />;
}

function Found({ project, selection }: { project: Project; selection: Selection }) {
  const text = t.selection;
  const titleOf = useTitles("instruction_selection");
  const manages = useManages();
  const { kept, rows, left_out: leftOut, method, clusters, warnings } = selection;
  const place = { projectId: project.id, jobId: selection.job_id };
  return (
    <div className={styles.page}>
      <header>
        <Link to={`/projects/${project.id}/jobs`}>{t.jobs.back}</Link>
        <h2>{text.title}</h2>
        <p>
          {text.kept(kept, rows, formatPercent(rows > 0 ? kept / rows : null), titleOf(method))}{" "}
          {leftOut > 0 && text.leftOut(leftOut)}
        </p>
        <p>
          <Link
            to={`/projects/${project.id}/pool?view=map&colour=selection&chosen_by=${selection.job_id}`}
          >
            {text.onMap.show}
          </Link>
        </p>
      </header>
      {warnings.map((warning) => (
        <Notice key={warning} tone="gold">
          <Said>{warning}</Said>
        </Notice>
      ))}
      {selection.rankable?.share === 0 && <Notice tone="gold">{text.noneRankable}</Notice>}
      {manages && (
        <Card title={text.take} hint={text.takeHint}>
          <ul className={styles.actions} aria-label={text.take}>
            {FORMATS.map((format) => (
              <li key={format}>
                <ButtonLink
                  to={selectionUrl(place, format)}
                  size="small"
                  kind={format === "alpaca" ? "primary" : "secondary"}
                  reloadDocument
                  download
                >
                  {text.formats[format]}
                </ButtonLink>
              </li>
            ))}
          </ul>
        </Card>
      )}
      <Card title={text.reasons} hint={text.reasonsHint}>
        <ReasonsTable selection={selection} />
      </Card>
      {clusters > 0 && (
        <Card
          title={selection.judge ? text.judged : text.browse}
          hint={selection.ranked > 0 ? text.judgedHint : undefined}
        >
          <Figures figures={figuresOf(selection)} />
          {selection.non_rankable && (
            <p className={styles.hint}>
              {text.nonRankableHint(
                selection.non_rankable.scores_of,
                selection.non_rankable.clusters_of,
              )}
            </p>
          )}
        </Card>
      )}
      <PeopleCard projectId={project.id} selection={selection} />
      {selection.judge && <CostCard judge={selection.judge} />}
      <LengthsCard lengths={selection.lengths} />
      {selection.topics.length > 1 && <TopicsCard topics={selection.topics} />}
      {clusters > 0 ? <ClustersCard place={place} /> : <RowsCard place={place} />}
      <CompareCard place={place} />
    </div>
  );
}

function figuresOf(selection: Selection): Figure[] {
  const text = t.selection;
  const { clusters, largest, alone, ranked, rankable, undecided, unranked } = selection;
  const asked: Figure[] = [
    [text.ranked, formatCount(ranked)],
    [text.undecided, formatCount(undecided)],
    [text.unranked, formatCount(unranked)],
  ];
  return [
    [text.clusters, formatCount(clusters)],
    [text.largest, formatCount(largest)],
    [text.alone, formatCount(alone)],
    ...(ranked + unranked > 0 ? asked : []),
    ...(rankable
      ? ([
          [
            text.rankable,
            formatPercent(rankable.share),
            text.rankableHint(formatWholePercent(rankable.share), rankable.of),
          ],
        ] as Figure[])
      : []),
    ...(selection.non_rankable
      ? ([[text.nonRankable, formatPercent(selection.non_rankable.share)]] as Figure[])
      : []),
  ];
}
