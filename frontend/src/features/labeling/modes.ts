import type { Project, User } from "../../api/types";

export type Mode = Project["modes"][number];

const keyOf = (project: Project, user: User): string => `karat:mode:${user.id}:${project.id}`;

/** The mode in which this user labels this project: what was chosen last, if the project allows it. */
export function chosenMode(project: Project, user: User): Mode {
  const last = localStorage.getItem(keyOf(project, user)) as Mode | null;
  return last && project.modes.includes(last) ? last : (project.modes[0] ?? "single");
}

export const chooseMode = (project: Project, user: User, mode: Mode): void =>
  localStorage.setItem(keyOf(project, user), mode);

export const pathOf = (project: Project, mode: Mode): string =>
  `/projects/${project.id}/label${mode === "grid" ? "/grid" : ""}`;
