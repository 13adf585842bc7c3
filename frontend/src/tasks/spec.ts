import type { ComponentType } from "react";
import type { LabelClass } from "../api/types";
import type { Small, StageProps, Subject } from "../media/spec";
import type { Medium } from "../strings/medium";
import type { BoxEditor } from "./boxes/editor";
import type { Proposal } from "./boxes/model";
import type { Choice } from "./choice";
import type { Command } from "./command";
import type { Desk } from "./drafts";
import type { RankingEditor } from "./instructions/editor";
import type { Member } from "./instructions/model";

/** What is made of an example before it is said; null for tasks in which one key says it all. */
export type Work = BoxEditor | RankingEditor | null;

/** What comes with an example in some tasks: what a model takes for objects, or those it is judged with. */
type Extra = {
  proposals?: Proposal[] | null;
  /** The model whose predictions were imported, if it proposes them. */
  proposed_by?: string | null;
  members?: Member[] | null;
};

/** A class that was imported as what a model predicts. */
export type SuggestedClass = { classId: number; name: string; score: number | null; model: string };

export type WorkPlace = {
  projectId: number;
  userId: number;
  classes: LabelClass[];
  /** What is on the page, with the verdict that it was given before, if any. */
  current: { subject: Subject & Extra; given: Choice | null } | null;
  answer: (choice: Choice) => void;
  /** Where that is; what was given is the user's own on the label page alone. */
  desk?: Desk;
};

export type TaskStageProps = Omit<StageProps, "subject"> & {
  subject: Subject & Extra;
  medium: Medium;
  classes: LabelClass[];
  work: Work;
};

export type PanelProps = {
  classes: LabelClass[];
  work: Work;
  /** The verdict the image was given before, when it is revisited. */
  given: Choice | null;
  /** The verdict just given, to show that the key was heard. */
  flashed: Choice | null;
  disabled: boolean;
  /** What is asked about has not come up: it can only be skipped. */
  unseen?: boolean;
  canUndo: boolean;
  /** What is suggested of an image of which nothing was said yet. */
  suggested?: SuggestedClass | null;
  onAnswer: (choice: Choice) => void;
  onUndo: () => void;
  /** Look for a class by its name. */
  onFind: () => void;
};

export type ThumbnailProps = {
  example: Small & Pick<Extra, "members">;
  given: Choice;
  classes: LabelClass[];
};

/** What is particular to a type of task; leases, answers, undo and breaks are the same for all. */
export type TaskView = {
  /** Keeps what is made of the example on the page. A hook: it is the same for all of a project. */
  useWork: (place: WorkPlace) => Work;
  /** The example to judge, with what is said of its parts. */
  Stage: ComponentType<TaskStageProps>;
  /** What can be said of it. */
  Panel: ComponentType<PanelProps>;
  /** An example, small, with what was said of it. */
  Thumbnail: ComponentType<ThumbnailProps>;
  commandFor: (key: string, classes: LabelClass[]) => Command | null;
  /** What is done with a class that was looked for. */
  choose: (classId: number, work: Work) => Choice | null;
  /** What was said, in words. */
  describe: (choice: Choice, classes: LabelClass[]) => string;
  /** The same where there is little room. */
  short: (choice: Choice, classes: LabelClass[]) => string;
};
