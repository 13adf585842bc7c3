import type { Review, Suggestion } from "../../../api/types";

export type ReviewView = {
  phase: "loading" | "deciding" | "done" | "failed";
  current: Suggestion | null;
  upcoming: Suggestion[];
  /** Decided in this visit or just before it, the latest last. */
  history: Suggestion[];
  review: Review | null;
  /** How many decisions of this visit came after a colleague's, and so do not hold. */
  late: number;
  error: Error | null;
};
