import type { Example, Judgement, Project } from "../api/types";
import { t } from "../strings";
import { FIXED_KEYS } from "../ui/hotkeys";
import { boxesOf } from "./boxes/model";
import { type Choice, LABELED, labelFrom } from "./choice";
import { noneOf } from "./stateNames";
import { traitsOf } from "./traits";

/** What can be said of an example by hand, whether or not anybody has been asked about it. */
export type Sayable = {
  choice: Choice;
  name: string;
  /** The key that says it; with Shift where one is too easily hit. */
  key: string | null;
  /** Of the class that it names. */
  colour?: string;
};

/** What an example is once a reviewer has said something of it. */
const STATES = { label: "labeled", ood: "ood", unsure: "unsure" } as const;
type Opinion = keyof typeof STATES;

/**
 * What one key can say, of an example or of many at once.
 *
 * Where labels are more than a class, one that is right for several can only be that nothing is in them.
 */
export function sayable(project: Pick<Project, "task" | "classes">): Sayable[] {
  const { classes } = project;
  const { namesOneClass, emptyLabel } = traitsOf(project);
  const ofTask: Sayable[] = namesOneClass
    ? classes.map(({ id, name, colour, hotkey }) => ({
        choice: { verdict: LABELED, classId: id },
        ...{ name, colour, key: hotkey },
      }))
    : [];
  if (emptyLabel) {
    const choice: Choice = { verdict: LABELED, classId: null, label: emptyLabel };
    ofTask.push({ choice, name: t.boxes.none, key: "shift+n" });
  }
  return [
    ...ofTask,
    { choice: { verdict: "ood", classId: null }, name: noneOf(project).full, key: FIXED_KEYS.ood },
    { choice: { verdict: "unsure", classId: null }, name: t.label.unsure, key: FIXED_KEYS.unsure },
  ];
}

type Stands = Pick<Example, "state" | "label_class_id" | "whole_label">;

/** What an example counts as; null while that is nothing. */
export function standing({ state, label_class_id, whole_label }: Stands): Choice | null {
  const verdict = (Object.keys(STATES) as Opinion[]).find((one) => STATES[one] === state);
  return verdict ? { verdict, classId: label_class_id, ...labelFrom(whole_label) } : null;
}

/** Whether an example counts as what would be said. */
export function stands({ choice }: Sayable, example: Stands): boolean {
  const now = standing(example);
  if (now?.verdict !== choice.verdict || now.classId !== choice.classId) return false;
  return !choice.label || boxesOf(now.label)?.length === 0;
}

/** A choice as it is sent. */
export const judged = ({
  verdict,
  classId,
  label,
}: Choice): Omit<Judgement, "ids" | "filters"> => ({
  verdict,
  ...(label ? { label } : { class_id: classId }),
});

/** What is shown of an example once a reviewer has said something of it. */
export function afterwards(
  { verdict, classId, label = null }: Choice,
  classes: Project["classes"],
): Pick<Example, "state" | "label" | "label_class_id" | "whole_label"> {
  return {
    state: STATES[verdict as Opinion],
    label: classes.find((one) => one.id === classId)?.name ?? null,
    label_class_id: classId,
    whole_label: label,
  };
}
