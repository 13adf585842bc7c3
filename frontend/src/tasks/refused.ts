import { keepDraft as keepBoxes } from "./boxes/memory";
import { type Proposal, rejectedBy } from "./boxes/model";
import type { RichLabel } from "./choice";
import { keepDraft as keepRanking } from "./instructions/draft";

/** What was sent is as if it had not been: it is there again where its example comes up. */
export function keepAsDraft(
  draft: string,
  label: RichLabel,
  proposals: readonly Proposal[] | null | undefined,
): void {
  if (label.type === "boxes")
    keepBoxes(draft, { boxes: label.boxes, rejected: rejectedBy(label, proposals ?? []) });
  else keepRanking(draft, label);
}
