import { findsAll, isFullyLabeled } from "../../api/projects";
import type { Algorithm, Project } from "../../api/types";
import { hasTaskView, traitsOf } from "../../tasks/traits";

export type StepName = "images" | "classes" | "evaluation" | "label" | "round" | "rows" | "choose";
export type Step = { name: StepName; done: boolean; to: string | null };

/** The way to the first model; empty once it is there, or where there is nothing to ask about. */
export function firstSteps(project: Project, isChosen = false): Step[] {
  const { id, state, counts, classes, current_round: round } = project;
  const isDraft = state === "draft";
  if (traitsOf(project).isCurated) return isChosen ? [] : choosing(project);
  const hasModel = state === "finished" || (round !== null && round.number > 0);
  if (hasModel || (isDraft && isFullyLabeled(project))) return [];
  // Labels of a package's type of task are given by a script.
  const desk = hasTaskView(project) ? `/projects/${id}/label` : null;
  const setUp = `/projects/${id}/settings`;
  const answered = counts.labeled_in + counts.labeled_ood + counts.unsure;
  const steps: Step[] = [
    { name: "images", done: counts.pool + counts.held_out > 0, to: `${setUp}#images` },
    { name: "classes", done: classes.length > 0, to: `${setUp}#classes` },
    { name: "evaluation", done: counts.evaluation > 0, to: `${setUp}#images` },
    // Labels that came with the images are none that anybody gave here.
    {
      name: "label",
      done: !isDraft && answered > 0,
      to: isDraft ? `${setUp}#start` : desk,
    },
    { name: "round", done: false, to: desk },
  ];
  const isLeftOut = findsAll(project) && counts.evaluation === 0;
  return isLeftOut ? steps.filter(({ name }) => name !== "evaluation") : steps;
}

/**
 * Whether no typical images are among the first: by the settings, as the model computes no features before it is
 * trained, or because looking for them has failed.
 */
export function beginsAtRandom(project: Project, algorithms: readonly Algorithm[] = []): boolean {
  const { settings, current_round: round } = project;
  if (!settings) return false;
  if (settings.first_queue === "random" || (round?.number === 0 && round.failed)) return true;
  const { name, params } = settings.model;
  const model = algorithms.find((one) => one.kind === "model" && one.name === name);
  if (!model || model.needs.includes("embeddings")) return false;
  return { ...model.defaults, ...params }.mode !== "frozen";
}

/** Where nothing is trained: rows, and what chooses among them. */
function choosing({ id, state, counts }: Project): Step[] {
  if (state !== "draft") return [];
  return [
    { name: "rows", done: counts.pool > 0, to: `/projects/${id}/settings#images` },
    { name: "choose", done: false, to: `/projects/${id}/jobs?ask=select_instructions` },
  ];
}

/** What to do now: the first that is not done and that the rest waits for. */
export const nextStep = (steps: Step[]): StepName | undefined =>
  steps.find(({ name, done }) => !done && name !== "evaluation")?.name;
