import { askedBy, isControl, isElsewhere } from "../../../ui/hotkeys";
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
    if (event.key === "Enter" && isControl(event.target)) return;
    const { classes, version } = shownAt(event.timeStamp);
    const command = askedBy(event, (key) => reviewCommandFor(key, classes));
    if (!command) return;
    event.preventDefault();
    obey(command, version);
  });
}
