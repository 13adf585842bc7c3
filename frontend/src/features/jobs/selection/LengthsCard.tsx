import type { Selection } from "../../../api/selections";
import { t } from "../../../strings";
import { BeforeAfter } from "./BeforeAfter";

type LengthsCardProps = { lengths: Selection["lengths"] };

/** How long answers are; lengths that no row has are left out. */
export function LengthsCard({ lengths: { edges, before, after } }: LengthsCardProps) {
  const text = t.selection;
  const groups = edges
    .map((edge, index) => ({
      name: text.upTo(edge, edges[index + 1] ?? null),
      before: before[index] ?? 0,
      after: after[index] ?? 0,
    }))
    .filter((one) => one.before + one.after > 0);
  return (
    <BeforeAfter
      title={text.lengths}
      hint={text.lengthsHint}
      heading={text.characters}
      groups={groups}
    />
  );
}
