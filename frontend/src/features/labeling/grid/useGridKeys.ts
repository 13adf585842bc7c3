import { askedBy, isControl, isElsewhere, keyOf } from "../../../ui/hotkeys";
import { useKeyDown } from "../../../ui/useKeyDown";
import type { ShownClasses } from "../useShownClasses";
import { type GridCommand, gridCommandFor } from "./keys";

/** A key that stays down moves on, but gives one verdict only. */
const REPEATS: ReadonlySet<GridCommand["do"]> = new Set(["move", "resize"]);

/** Listens to the keys of the grid. */
export function useGridKeys(
  shownAt: (at: number) => ShownClasses,
  onCommand: (command: GridCommand, classesVersion: number) => void,
) {
  useKeyDown((event) => {
    const { classes, version } = shownAt(event.timeStamp);
    const command = commandOf(event, classes);
    if (!command || (event.repeat && !REPEATS.has(command.do))) return;
    event.preventDefault();
    onCommand(command, version);
  });
}

function commandOf(event: KeyboardEvent, classes: ShownClasses["classes"]): GridCommand | null {
  const target = event.target as Element;
  const key = keyOf(event);
  if (key === "a" && (event.ctrlKey || event.metaKey) && !target.closest("input, textarea, dialog"))
    return { do: "group" };
  if (isElsewhere(event)) return null;
  if ((key === "enter" || key === " ") && isControl(target)) return null;
  return askedBy(event, (one) => gridCommandFor(one, event.shiftKey, classes));
}
