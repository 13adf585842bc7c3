import { isElsewhere, keyOf } from "../../../ui/hotkeys";
import { useKeyDown } from "../../../ui/useKeyDown";
import type { ShownClasses } from "../useShownClasses";
import { type ReviewCommand, reviewCommandFor } from "./decisions";

/** The keys of the review page, unless a field or a dialog has them. */
export function useReviewKeys(
  shownAt: (at: number) => ShownClasses,
  obey: (command: ReviewCommand, classesVersion: number) => void,
): void {
  useKeyDown((event) => {
    if (event.repeat || event.defaultPrevented || isElsewhere(event)) return;
    const key = keyOf(event);
    // Enter on a focused button or link is that button's.
    if (key === "enter" && (event.target as Element).closest("a, button")) return;
    const { classes, version } = shownAt(event.timeStamp);
    const command = reviewCommandFor(key, classes);
    if (!command) return;
    event.preventDefault();
    obey(command, version);
  });
}
