import type { ProjectKind } from "../../api/projects";

/** What a project holds, and what is asked of it. */
export const kinds = {
  image: { medium: "image", task: "classification" },
  boxes: { medium: "image", task: "boxes" },
  text: { medium: "text", task: "classification" },
  instructions: { medium: "text", task: "instructions" },
} as const satisfies Record<string, ProjectKind>;

export type Kind = keyof typeof kinds;

export const KINDS = Object.keys(kinds) as Kind[];

/** The kind of a project that is there; of a task type of a package, that of what it holds. */
export const kindOf = ({ medium, task }: ProjectKind): Kind =>
  KINDS.find((one) => kinds[one].medium === medium && kinds[one].task === task) ?? medium;
