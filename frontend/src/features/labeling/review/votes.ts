import type { ReviewedJob, Suggestion } from "../../../api/types";

/** What is reviewed, and so the words of the page: labels that a job doubts, or disagreements. */
export type Kind = "suggestions" | "disagreements";

export const kindOf = (jobId: ReviewedJob): Kind =>
  jobId === null ? "disagreements" : "suggestions";

/** How many said so; a label of null is OOD. */
export const votesFor = (label: number | null, { votes }: Suggestion): number =>
  votes.find((one) => one.class_id === label)?.count ?? 0;

export const votesInAll = ({ votes }: Suggestion): number =>
  votes.reduce((sum, one) => sum + one.count, 0);

/** Whether as many said the one as the other. */
export const isTied = (suggestion: Suggestion): boolean =>
  votesFor(suggestion.given_class_id, suggestion) ===
  votesFor(suggestion.suggested_class_id, suggestion);

/** What was said besides the two labels, OOD (null) among it. */
export const alsoSaid = ({ votes, ...pair }: Suggestion): (number | null)[] =>
  votes
    .map((one) => one.class_id)
    .filter((label) => label !== pair.given_class_id && label !== pair.suggested_class_id);
