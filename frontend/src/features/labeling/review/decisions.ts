import type { Decision } from "../../../api/types";
import { FIXED_KEYS } from "../../../ui/hotkeys";

/** The two labels lie side by side, and so do their keys. */
export const REVIEW_KEYS = {
  keep: "1",
  accept: "2",
  ood: FIXED_KEYS.ood,
  unsure: FIXED_KEYS.unsure,
  undo: FIXED_KEYS.undo,
  smooth: FIXED_KEYS.smooth,
} as const;

/** All keys of a decision, as `aria-keyshortcuts` names them. */
export const SHORTCUTS: Record<Decision, string> = {
  keep: `${REVIEW_KEYS.keep} ArrowLeft`,
  accept: `${REVIEW_KEYS.accept} ArrowRight`,
  ood: REVIEW_KEYS.ood,
  unsure: REVIEW_KEYS.unsure,
};

export type ReviewCommand =
  | { do: "decide"; decision: Decision }
  | { do: "undo" | "stay" | "smooth" };

export function reviewCommandFor(key: string): ReviewCommand | null {
  switch (key) {
    case REVIEW_KEYS.keep:
    case "arrowleft":
      return { do: "decide", decision: "keep" };
    case REVIEW_KEYS.accept:
    case "arrowright":
      return { do: "decide", decision: "accept" };
    case REVIEW_KEYS.ood:
      return { do: "decide", decision: "ood" };
    case REVIEW_KEYS.unsure:
      return { do: "decide", decision: "unsure" };
    case REVIEW_KEYS.undo:
    case "backspace":
      return { do: "undo" };
    case "enter":
      return { do: "stay" };
    case REVIEW_KEYS.smooth:
      return { do: "smooth" };
    default:
      return null;
  }
}
