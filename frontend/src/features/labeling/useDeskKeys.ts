import type { Choice } from "../../tasks/choice";
import type { Command } from "../../tasks/command";
import type { TaskView } from "../../tasks/spec";
import { askedBy, isControl, isElsewhere, type KeyDialogOf } from "../../ui/hotkeys";
import { useKeyDown } from "../../ui/useKeyDown";
import type { LabelSession } from "./queue/session";
import type { ShownClasses } from "./useShownClasses";

type Keys = {
  session: LabelSession;
  task: TaskView;
  shownAt: (at: number) => ShownClasses;
  answer: (choice: Choice) => void;
  /**
   * Takes what is suggested, as classes were shown, or leaves what one came back to with the
   * verdict that it has.
   */
  keep: (classesVersion: number) => void;
  /** What concerns the page and not the queue. */
  onPage: (what: "alternate" | "pause" | "guide" | "note" | KeyDialogOf<"label">) => void;
};

/** The keys of the label page, unless a field or a dialog has them. */
export function useDeskKeys({ session, task, shownAt, answer, keep, onPage }: Keys): void {
  const obey = (command: Command, classesVersion: number) => {
    if (command.do === "answer") answer({ ...command.choice, classesVersion });
    else if (command.do === "undo") session.undo();
    else if (command.do === "keep") keep(classesVersion);
    else if (command.do === "back") session.step(-1);
    else if (command.do === "forward") session.step(1);
    else onPage(command.do);
  };
  useKeyDown((event) => {
    if (event.repeat || event.defaultPrevented || isElsewhere(event)) return;
    if (event.key === "Enter" && isControl(event.target)) return;
    const { classes, version } = shownAt(event.timeStamp);
    const command = askedBy(event, (key) => task.commandFor(key, classes));
    if (!command) return;
    event.preventDefault();
    obey(command, version);
  });
}
