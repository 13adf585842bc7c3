import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useMemo } from "react";
import { Link, useSearchParams } from "react-router";
import { algorithmsQuery, useStrategyOf, useTitles } from "../../api/algorithms";
import { mapsQuery } from "../../api/maps";
import { roundsQuery } from "../../api/rounds";
import type { Project, Round } from "../../api/types";
import { t } from "../../strings";
import { traitsOf } from "../../tasks/traits";
import { CannotTell } from "../../ui/CannotTell";
import { Card } from "../../ui/Card";
import { Fetching } from "../../ui/Fetching";
import { decode } from "../../ui/map/lasso";
import { RoundChip } from "../../ui/RoundChip";
import { FailedRound } from "../../ui/RoundFailure";
import { Empty, Failure, Loading, Skeleton } from "../../ui/State";
import { AskedCard, InsideCard } from "./Gallery";
import { MapCard } from "./MapCard";
import { RankingRound } from "./RankingRound";
import { FactsCard, PhasesCard, SettingsCard } from "./RoundFacts";
import styles from "./RoundScreen.module.css";
import { RoundSlider } from "./RoundSlider";
import { useQuerySet } from "./useMap";

const { rounds: text } = t;

type RoundScreenProps = {
  project: Project;
  /** As it stands in the address. */
  number: string;
  logOf: (jobId: number) => ReactNode;
  groupsOf: (jobId: number) => ReactNode;
};

/** One round: what it saw, what it asked, and what came of it. */
export function RoundScreen({ project, number, logOf, groupsOf }: RoundScreenProps) {
  const rounds = useQuery(roundsQuery(project.id));
  if (rounds.error && !rounds.data) {
    return <Failure error={rounds.error} onRetry={() => rounds.refetch()} />;
  }
  if (!rounds.data) return <Waiting />;
  const { items } = rounds.data;
  const round = items.find((one) => String(one.number) === number);
  const back = <Link to={`/projects/${project.id}`}>{text.back}</Link>;
  if (!round) return <Empty title={text.noRound(number)} actions={back} />;
  return (
    <div className={styles.page}>
      <header className={styles.head}>
        <div>
          {back}
          <h2>{text.title(round.number)}</h2>
          <RoundChip round={round} rounds={items} />
        </div>
        <RoundSlider projectId={project.id} rounds={items} number={round.number} />
      </header>
      {isFailed(project, round) && <FailedRound projectId={project.id} />}
      {traitsOf(project).inGroups ? (
        <RankingRound project={project} round={round} groupsOf={groupsOf} />
      ) : (
        <Content project={project} round={round} />
      )}
      {round.job_id !== null && logOf(round.job_id)}
    </div>
  );
}

/** Also while its images can be labeled, if what else its job does has failed. */
const isFailed = ({ current_round: now }: Project, { number, state }: Round): boolean =>
  state === "failed" || (now?.failed === true && now.number === number);

function Waiting() {
  return (
    <Loading>
      <Skeleton height="3rem" />
      <Skeleton height="35rem" />
    </Loading>
  );
}

function Content({ project, round }: { project: Project; round: Round }) {
  const [search, setSearch] = useSearchParams();
  const maps = useQuery(mapsQuery(project.id));
  const algorithms = useQuery(algorithmsQuery).data?.items ?? [];
  const strategyOf = useStrategyOf();
  const modelOf = useTitles("model");
  const queries = useQuerySet(project.id, round.number);
  const hide = search.get("hide");
  const hidden = useMemo(() => new Set(hide?.split(" ") ?? []), [hide]);
  const outline = search.get("outline");
  const change = (name: string, value: string) =>
    setSearch(
      (before) => {
        if (value) before.set(name, value);
        else before.delete(name);
        return before;
      },
      { replace: true },
    );
  const onHide = (key: string) => {
    const now = new Set(hidden);
    if (!now.delete(key)) now.add(key);
    change("hide", [...now].join(" "));
  };
  const map = maps.data?.items.find((one) => one.number === round.number);
  return (
    <>
      <Fetching of={maps} height="35rem" />
      {maps.data && map && (
        <MapCard
          project={project}
          maps={maps.data.items}
          map={map}
          strategy={strategyOf(round)}
          queries={queries}
          hidden={hidden}
          onHide={onHide}
        />
      )}
      {maps.data && !map && (
        <Card title={text.map.title}>
          <Empty title={text.map.none}>
            {round.number === 0 ? text.map.noneFirst : text.map.noneText}
          </Empty>
        </Card>
      )}
      {map && outline && decode(outline) && (
        <InsideCard
          project={project}
          number={round.number}
          polygon={outline}
          onClose={() => change("outline", "")}
        />
      )}
      <CannotTell project={project} round={round} nameOf={modelOf} />
      <div className={styles.columns}>
        <FactsCard round={round} project={project} />
        <PhasesCard round={round} />
      </div>
      {queries.error && <Failure error={queries.error} onRetry={() => queries.retry()} />}
      <AskedCard
        key={round.number}
        project={project}
        round={round}
        queries={queries}
        hidden={hidden}
      />
      <SettingsCard round={round} algorithms={algorithms} />
    </>
  );
}
