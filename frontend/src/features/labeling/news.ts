import type { LabelClass, Project } from "../../api/types";
import { t } from "../../strings";
import { keyLabel } from "../../ui/hotkeys";

const { news: text } = t.label;

/** More changes than this are counted. */
const TOLD = 3;

type Known = Pick<
  Project,
  "classes" | "guidelines" | "state" | "modes" | "name" | "classes_version"
>;

/** What is to be said of a project that changed under somebody's hands, a sentence for each. */
export function newsOf(before: Known, now: Known): string[] {
  const changes = classChanges(before.classes, now.classes);
  const told = changes.slice(0, TOLD);
  if (changes.length > TOLD) told.push(text.more(changes.length - TOLD));
  const state = now.state === "draft" ? null : text.state[now.state];
  return [
    ...(told.length > 0 ? [text.classes(told)] : []),
    ...(before.guidelines === now.guidelines ? [] : [text.guidelines]),
    ...(before.state === now.state || state === null ? [] : [state]),
    ...(String(before.modes) === String(now.modes)
      ? []
      : [text.modes(now.modes.map((mode) => t.grid.mode[mode]))]),
    ...(before.name === now.name ? [] : [text.name(now.name)]),
  ];
}

const shownKey = ({ hotkey }: LabelClass): string | null => hotkey && keyLabel(hotkey);

/** What differs between the classes that were shown and those of now. */
function classChanges(before: LabelClass[], now: LabelClass[]): string[] {
  const earlier = new Map(before.map((one) => [one.id, one]));
  const present = new Set(now.map((one) => one.id));
  const changes: string[] = [];
  for (const one of now) {
    const was = earlier.get(one.id);
    if (!was) changes.push(text.added(one.name, shownKey(one)));
    else if (was.name !== one.name) changes.push(text.renamed(was.name, one.name, shownKey(one)));
    else if (was.hotkey !== one.hotkey) changes.push(text.key(one.name, shownKey(one)));
  }
  for (const one of before) if (!present.has(one.id)) changes.push(text.removed(one.name));
  const kept = (classes: LabelClass[]) =>
    String(classes.map(({ id }) => id).filter((id) => present.has(id) && earlier.has(id)));
  if (kept(before) !== kept(now)) changes.push(text.order);
  for (const one of now) {
    const was = earlier.get(one.id);
    if (was && was.colour !== one.colour) changes.push(text.colour(one.name));
  }
  return changes;
}
