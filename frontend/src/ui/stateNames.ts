import type { ExampleState, Project } from "../api/types";
import { t } from "../strings";

/** What the states of a project's images, or rows, are called wherever they are shown. */
export function stateNames({
  task,
  state,
}: Pick<Project, "task" | "state">): Record<ExampleState, string> {
  const { neverAsked, ...names } = task === "instructions" ? t.states.rankings : t.states.classes;
  // Whoever goes on with a finished project finds its last queue as it was; until then it asks nobody.
  return state === "finished" ? { ...names, queried: neverAsked } : names;
}
