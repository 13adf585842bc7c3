import type { ComponentType } from "react";
import type { ExampleState, ExportFormat, Goal, LabelClass, Split } from "../api/types";
import type { Small, StageProps, Subject } from "../media/spec";
import type { t } from "../strings";
import type { Medium } from "../strings/medium";
import type { BoxEditor } from "./boxes/editor";
import type { Proposal } from "./boxes/model";
import type { Choice, RichLabel } from "./choice";
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
  /** Whether a reviewer goes on from the label that was given, rather than anew. */
  keepsGiven: boolean;
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

export type KeyRow = [keys: string[], meaning: string];

/** Help for a type of task whose labels are more than what one key says. */
export type TaskHelp = {
  /** What keys do in place of those that give a verdict. */
  keys: (inReview?: boolean) => KeyRow[];
  /** What the key of the guide shows, where that is not what belongs to each class. */
  guide?: () => string;
  /** What fingers do. */
  touch: () => string[];
  /** Where two labels are compared; `left` and `right` choose one of them. */
  review: () => { intro: string; touch: string[]; left?: string; right?: string };
};

/** Words of a type of task. All are read when they are shown: what they say depends on the medium of the page. */
export type TaskWords = {
  /** That an example is none of what is looked for: in full, in a caption, and where that is not OOD as the glossary has it. */
  none: () => { full: string; short: string; text?: string };
  /** What states are called, and beside them one of a finished project that asks nobody any more. */
  states: () => Record<ExampleState | "neverAsked", string>;
  /** That an example has a label, where verdicts are told apart. */
  labeled: () => string;
  /** What is counted of a project on its card; null where nothing beside the labels is. */
  counts: () => { labeled: string; none: string | null };
  /** What is counted of one's own answers. */
  mine: () => { inside: string; none: string };
  /** In the guide: its title, what stands for guidelines where nobody wrote any, and when to say that nothing fits. */
  guide: () => { title: string; untold: string | null; none: string; text: string };
};

/** Words for who runs a project of a type, kept from the pages of those who label. */
export type ManagerWords = {
  /** The page of the set-up. */
  setup: () => SetupWords;
  /** What becomes of a data set of it that was dropped on the first page, and what goes on with it. */
  check: (said: typeof t.check) => { text: string; goOn: string };
  /** What leads to all exports. */
  allExports: () => string;
  /** Formats of exports that hold something else than usual. */
  formats: () => Partial<Record<ExportFormat, { title: string; text: string }>>;
};

type SetupWords = {
  basics: string;
  basicsHint: string;
  guidelinesHint: string;
  images: string;
  imagesHint: string;
  splitHints: Record<Split, string>;
  goals: Record<Goal, string>;
  costIn: string;
  costOod: string;
  paysFor: (labels: number, none: number) => string;
  unlabeledHint: string;
  withoutClass: (count: number) => string;
};

/**
 * What pages ask of a type of task. Whatever differs between types is asked for by its reason, never by the
 * name of a type; `traits.ts` has what holds where a type says nothing.
 */
export type Traits = {
  /** One class is all that a label says: many can be labeled at once, and wrong labels looked for and promised. */
  namesOneClass: boolean;
  /** Labels are said in classes of the project, which has to have some. */
  hasClasses: boolean;
  /** A model of the pool learns from the labels of each round, and scores what has none. */
  isLearned: boolean;
  /** What the model is worth: a share of right answers, or the mean precision of what it finds. */
  measure: "accuracy" | "precision";
  /** The label that says that nothing is there, which is not OOD and is counted apart; null where none does. */
  emptyLabel: RichLabel | null;
  /** Labels are drawn on the example, each of a class, so that it can have several. */
  isDrawn: boolean;
  /** A job chooses what is worth keeping, without any labels, and that is what is taken away. */
  isCurated: boolean;
  /** Examples are asked about in groups that a job has put together, and never alone. */
  inGroups: boolean;
  /** Examples are rows of tables with several parts, found by what their columns are called. */
  hasParts: boolean;
  /** What most people take away; the other formats are among the settings. */
  takeAway: (medium: Medium) => readonly ExportFormat[];
  words: TaskWords;
};

/** What a type of task says to managers: only what is not as usual. */
export type OwnManagerWords = Partial<Omit<ManagerWords, "setup">> & {
  setup?: () => Partial<SetupWords>;
};

/** What a type of task says of itself: only what is not as usual. */
export type OwnTraits = Partial<Omit<Traits, "words">> & { words?: Partial<TaskWords> };
