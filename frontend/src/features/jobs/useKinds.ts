import { useQuery } from "@tanstack/react-query";
import { algorithmsQuery } from "../../api/algorithms";
import { serving } from "../../api/serving";
import type { JobKind, Project } from "../../api/types";
import { t } from "../../strings";
import { traitsOf } from "../../tasks/traits";

/** Only whoever has asked waits for these, on the page where they did. */
const PASSING: string[] = ["look_up", "look_at"];

/** What a kind of job is called where something is learned of labels, or where they are only counted. */
export const kindName = (kind: JobKind, isLearned: boolean): string =>
  (!isLearned && kind === "advance_round" ? t.overview.ranking.closing : t.overview.job[kind]) ??
  kind;

/** The kinds of jobs that there can be in a project, with their names. */
export function useKinds(project: Project): [JobKind, string][] {
  const all = useQuery(algorithmsQuery).data?.items ?? [];
  const jobs = all.filter(({ kind }) => kind === "job").map(({ name }) => name);
  const served = serving(all, project).map(({ name }) => name);
  const { isLearned } = traitsOf(project);
  return (Object.keys(t.overview.job) as JobKind[])
    .filter((kind) => !PASSING.includes(kind) && !(!isLearned && kind === "score_part"))
    .filter((kind) => !jobs.includes(kind) || served.includes(kind))
    .map((kind) => [kind, kindName(kind, isLearned)]);
}
