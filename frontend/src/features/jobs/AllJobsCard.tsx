import { useInfiniteQuery } from "@tanstack/react-query";
import { useSearchParams } from "react-router";
import { allJobsQuery, isActive } from "../../api/rounds";
import type { JobKind, JobState, Project } from "../../api/types";
import { t } from "../../strings";
import { traitsOf } from "../../tasks/traits";
import { Button } from "../../ui/Button";
import { Card } from "../../ui/Card";
import { Fetching } from "../../ui/Fetching";
import { SelectField } from "../../ui/Field";
import { More } from "../../ui/More";
import styles from "./AllJobs.module.css";
import { AllJobsTable } from "./AllJobsTable";
import { useKinds } from "./useKinds";

const { all: text } = t.jobs;
const STATES = Object.keys(t.jobs.states) as JobState[];
const ACTIVE: JobState[] = ["queued", "running"];

function statesOf(chosen: string): JobState[] {
  if (chosen === "active") return ACTIVE;
  return STATES.filter((state) => state === chosen);
}

/** Every job of a project, whoever or whatever asked for it; the filters stand in the address. */
export function AllJobsCard({ project }: { project: Project }) {
  const [search, setSearch] = useSearchParams();
  const kind = search.get("kind") ?? "";
  const state = search.get("state") ?? "";
  const kinds = useKinds(project);
  const known = kind in t.overview.job ? (kind as JobKind) : null;
  const jobs = useInfiniteQuery({
    ...allJobsQuery(project.id, known, statesOf(state)),
    refetchInterval: ({ state: { data } }) =>
      data?.pages.some((page) => page.items.some(isActive)) ? 3_000 : false,
  });
  const items = jobs.data?.pages.flatMap((page) => page.items) ?? [];
  const change = (name: string, value: string) => {
    const next = new URLSearchParams(search);
    if (value) next.set(name, value);
    else next.delete(name);
    setSearch(next, { replace: true });
  };
  const isFiltered = kind !== "" || state !== "";
  return (
    <Card title={text.title} hint={text.hint}>
      <div className={styles.filters}>
        <SelectField
          label={text.kind}
          value={kind}
          onChange={(event) => change("kind", event.target.value)}
        >
          <option value="">{text.everyKind}</option>
          {kinds.map(([name, title]) => (
            <option key={name} value={name}>
              {title}
            </option>
          ))}
        </SelectField>
        <SelectField
          label={text.state}
          value={state}
          onChange={(event) => change("state", event.target.value)}
        >
          <option value="">{text.everyState}</option>
          <option value="active">{text.active}</option>
          {STATES.map((name) => (
            <option key={name} value={name}>
              {t.jobs.states[name]}
            </option>
          ))}
        </SelectField>
        {isFiltered && (
          <Button kind="quiet" onClick={() => setSearch({}, { replace: true })}>
            {text.clear}
          </Button>
        )}
      </div>
      <Fetching of={jobs} height="12rem" />
      {jobs.data && items.length === 0 && (
        <p className={styles.quiet}>{isFiltered ? text.nothing : text.noneText}</p>
      )}
      {items.length > 0 && (
        <AllJobsTable projectId={project.id} isLearned={traitsOf(project).isLearned} jobs={items} />
      )}
      <More list={jobs}>{text.more}</More>
    </Card>
  );
}
