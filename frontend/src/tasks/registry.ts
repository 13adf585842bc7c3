import type { ComponentType } from "react";
import type { LabelClass, Project } from "../api/types";
import type { StageProps } from "../media/spec";
import type { Medium } from "../strings/medium";
import { type Choice, nameOf } from "./classification/describe";
import { type Command, commandFor } from "./classification/keys";
import { Panel, type PanelProps } from "./classification/Panel";
import { Stage } from "./classification/Stage";
import { Thumbnail, type ThumbnailProps } from "./classification/Thumbnail";

/** What is particular to a type of task; leases, answers, undo and breaks are the same for all. */
export type TaskView = {
  /** The example to judge, with what is said of its parts. */
  Stage: ComponentType<StageProps & { medium: Medium }>;
  /** What can be said of it. */
  Panel: ComponentType<PanelProps>;
  /** An example, small, with what was said of it. */
  Thumbnail: ComponentType<ThumbnailProps>;
  commandFor: (key: string, classes: LabelClass[]) => Command | null;
  /** What was said, in words. */
  describe: (choice: Choice, classes: LabelClass[]) => string;
};

const taskViews: Record<string, TaskView> = {
  classification: { Stage, Panel, Thumbnail, commandFor, describe: nameOf },
};

/** How a type of task is worked on; throws where there are no pages for it. */
export function taskViewOf({ task }: Pick<Project, "task">): TaskView {
  const view = taskViews[task];
  if (!view) throw new Error(`there is no page for tasks of type ${task}`);
  return view;
}
