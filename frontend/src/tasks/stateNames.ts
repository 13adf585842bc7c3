import type { ExampleState, Project, Verdict } from "../api/types";
import { t } from "../strings";
import { traitsOf } from "./traits";

/** What is labeled told apart, where a label can say that nothing is there. */
type Objects = "objects" | "no_objects";
/** What they are called; only where a label can say so are there names for all of it. */
type Names<Key extends string> = Record<Key, string> & Partial<Record<Objects, string>>;

const objectsOf = (project: Pick<Project, "task">) =>
  traitsOf(project).emptyLabel && { objects: t.boxes.some, no_objects: t.boxes.none };

/** What it is called that one is none of what is looked for: in full, and in a caption. */
export const noneOf = (project: Pick<Project, "task">) => traitsOf(project).words.none();

/** What the states of a project's images, or rows, are called wherever they are shown. */
export function stateNames(project: Pick<Project, "task" | "state">): Names<ExampleState> {
  const { neverAsked, ...names } = traitsOf(project).words.states();
  return {
    ...names,
    // Whoever goes on with a finished project finds its last queue as it was; until then it asks nobody.
    ...(project.state === "finished" && { queried: neverAsked }),
    ...objectsOf(project),
    ood: noneOf(project).full,
  };
}

/** What verdicts are called where the pool is looked through. */
export function verdictNames(project: Pick<Project, "task">): Names<Verdict> {
  return {
    ...t.pool.values.verdict,
    ...objectsOf(project),
    label: traitsOf(project).words.labeled(),
    ood: noneOf(project).full,
  };
}

/** What the estimate of what is left counts: what shows nothing and what is of the wrong kind alike, where both are. */
export const leftTitle = (project: Pick<Project, "task">): string =>
  traitsOf(project).emptyLabel ? t.boxes.left : t.overview.oodLeft.title;
