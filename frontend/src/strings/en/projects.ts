import { locale } from "../language";
import { plural } from "./words";

export const projects = {
  title: "Projects",
  newProject: "New project",
  more: "Show more",
  emptyTitle: "No projects yet",
  emptyManager: "A project is a pool of images or texts, the classes you look for, and a budget.",
  emptyAnnotator: "You are not a member of a project yet. Ask whoever runs yours to add you.",
  label: "Label",
  labelProject: (name: string) => `Label ${name}`,
  takeAway: "Export labels",
  takeAwayOf: (name: string) => `Export labels of ${name}`,
  setUp: "Go on with the set-up",
  states: { draft: "Draft", running: "Running", paused: "Paused", finished: "Finished" },
  roundFailed: "Round failed",
  roundStates: {
    selecting: "Selecting",
    open: "Open",
    closing: "Training",
    closed: "Closed",
    failed: "Failed",
  },
  roundWaits: "Waiting",
  round: (number: number) => `Round ${number}`,
  noRound: "Not started",
  spent: (spent: number, budget: number | null) =>
    `${spent.toLocaleString(locale, { maximumFractionDigits: 1 })}${budget === null ? "" : ` of ${budget.toLocaleString(locale)}`}`,
  counts: {
    pool: "in the pool",
    in: "labeled",
    ood: "none of the classes",
    wrongKind: "of the wrong kind",
    ranked: "ranked",
    evaluation: "for evaluation",
  },
  images: (count: number) => plural(count, "image", "images"),
  classes: (count: number) => plural(count, "class", "classes"),
};
