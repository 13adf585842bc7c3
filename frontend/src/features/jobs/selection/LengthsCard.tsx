import type { CSSProperties } from "react";
import type { Selection } from "../../../api/selections";
import { t } from "../../../strings";
import { Card } from "../../../ui/Card";
import { formatWholePercent } from "../../../ui/format";
import styles from "./Selection.module.css";

type LengthsCardProps = { lengths: Selection["lengths"] };

/** How long answers are, of all rows and of those that are kept: bars beside each other. */
export function LengthsCard({ lengths: { edges, before, after } }: LengthsCardProps) {
  const text = t.selection;
  const shares = (counts: readonly number[]) => {
    const total = counts.reduce((sum, one) => sum + one, 0);
    return counts.map((one) => (total > 0 ? one / total : 0));
  };
  const [all, kept] = [shares(before), shares(after)];
  const most = Math.max(0.01, ...all, ...kept);
  const bar = (share: number, name: string) => (
    <span className={styles.bar} data-of={name}>
      <i style={{ "--share": share / most } as CSSProperties} />
      <span>{formatWholePercent(share)}</span>
    </span>
  );
  return (
    <Card title={text.lengths} hint={text.lengthsHint}>
      <table className={styles.lengths}>
        <thead>
          <tr>
            <th scope="col">{text.characters}</th>
            <th scope="col">{text.before}</th>
            <th scope="col">{text.after}</th>
          </tr>
        </thead>
        <tbody>
          {edges.map((edge, index) =>
            (before[index] ?? 0) + (after[index] ?? 0) === 0 ? null : (
              <tr key={edge}>
                <th scope="row">{text.upTo(edge, edges[index + 1] ?? null)}</th>
                <td>{bar(all[index] ?? 0, "before")}</td>
                <td>{bar(kept[index] ?? 0, "after")}</td>
              </tr>
            ),
          )}
        </tbody>
      </table>
    </Card>
  );
}
