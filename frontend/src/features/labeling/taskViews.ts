import type { ComponentType } from "react";
import type { LabelClass, Project } from "../../api/types";
import { Stage, type StageProps } from "./Stage";
import { VerdictPanel, type VerdictPanelProps } from "./VerdictPanel";
import { type Command, commandFor } from "./verdicts";

/** What is particular to a kind of task; leases, answers, undo and breaks are the same for all. */
export type TaskView = {
  Stage: ComponentType<StageProps>;
  Panel: ComponentType<VerdictPanelProps>;
  commandFor: (key: string, classes: LabelClass[]) => Command | null;
};

export const taskViews: Record<Project["task"], TaskView> = {
  classification: { Stage, Panel: VerdictPanel, commandFor },
};
