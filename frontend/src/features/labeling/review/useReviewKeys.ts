import { useEffect } from "react";
import type { LabelClass } from "../../../api/types";
import { isElsewhere, keyOf } from "../../../ui/hotkeys";
import { type ReviewCommand, reviewCommandFor } from "./decisions";

/** The keys of the review page, unless a field or a dialog has them. */
export function useReviewKeys(classes: LabelClass[], obey: (command: ReviewCommand) => void): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.repeat || isElsewhere(event)) return;
      const key = keyOf(event);
      // Enter on a focused button or link is that button's.
      if (key === "enter" && (event.target as Element).closest("a, button")) return;
      const command = reviewCommandFor(key, classes);
      if (!command) return;
      event.preventDefault();
      obey(command);
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [classes, obey]);
}
