import { useQuery } from "@tanstack/react-query";
import { Link, useSearchParams } from "react-router";
import { useTitles } from "../../api/algorithms";
import { subsetsQuery } from "../../api/subsets";
import type { Project, Settings, Subset } from "../../api/types";
import { t } from "../../strings";
import { ButtonLink } from "../../ui/Button";
import { Card } from "../../ui/Card";
import { SelectField } from "../../ui/Field";
import { Empty, Failure, Loading, Skeleton } from "../../ui/State";
import styles from "./JobsScreen.module.css";
import { chosenPair } from "./pair";
import { SubsetComparisonView } from "./SubsetComparisonView";
import { SubsetsTable } from "./SubsetsTable";

const { subsets: text } = t.jobs;

type SubsetsScreenProps = { project: Project & { settings: Settings } };

/** Every subset of a project, and two of them side by side; which two is part of the address. */
export function SubsetsScreen({ project }: SubsetsScreenProps) {
  const found = useQuery(subsetsQuery(project.id));
  if (found.error && !found.data)
    return <Failure error={found.error} onRetry={() => found.refetch()} />;
  if (!found.data) {
    return (
      <Loading>
        <Skeleton height="14rem" />
      </Loading>
    );
  }
  const subsets = found.data.items;
  return (
    <div className={styles.page}>
      <Link to={`/projects/${project.id}/jobs`}>{t.jobs.back}</Link>
      {subsets.length === 0 ? (
        <Empty
          title={text.none}
          actions={
            <ButtonLink manages to={`/projects/${project.id}/jobs?ask=prune`} kind="primary">
              {t.jobs.questions.ask.prune.title}
            </ButtonLink>
          }
        >
          {text.noneText}
        </Empty>
      ) : (
        <Card title={text.title} hint={text.hint}>
          <SubsetsTable project={project} subsets={subsets} />
        </Card>
      )}
      {subsets.length > 1 && <Pair project={project} subsets={subsets} />}
    </div>
  );
}

function Pair({ project, subsets }: { project: Project; subsets: Subset[] }) {
  const [query, setQuery] = useSearchParams();
  const titleOf = useTitles("pruning");
  const [a, b] = chosenPair(
    subsets.map((one) => one.id),
    query.get("a"),
    query.get("b"),
  );
  const choose = (side: "a" | "b", id: string) =>
    setQuery({ a: String(a), b: String(b), [side]: id }, { replace: true });
  return (
    <Card title={text.compare} hint={text.compareHint}>
      <div className={styles.pair}>
        {(["a", "b"] as const).map((side) => (
          <SelectField
            key={side}
            label={side === "a" ? text.first : text.second}
            value={side === "a" ? a : b}
            onChange={(event) => choose(side, event.target.value)}
          >
            {subsets.map((one) => (
              <option key={one.id} value={one.id}>
                {text.option(one.id, titleOf(one.method), one.kept)}
              </option>
            ))}
          </SelectField>
        ))}
      </div>
      <SubsetComparisonView project={project} a={a} b={b} />
    </Card>
  );
}
