import type { CSSProperties } from "react";
import { t } from "../../../strings";
import { Card } from "../../../ui/Card";
import { formatWholePercent } from "../../../ui/format";
import styles from "./Selection.module.css";

type BeforeAfterProps = {
  title: string;
  hint: string;
  /** What the groups are. */
  heading: string;
  groups: readonly Group[];
};

/** So many rows, of all and of those that are kept. */
export type Group = { name: string; before: number; after: number };

/** How rows divide among groups, all of them and those that are kept: bars beside each other. */
export function BeforeAfter({ title, hint, heading, groups }: BeforeAfterProps) {
  const text = t.selection;
  const all = shares(groups.map((one) => one.before));
  const kept = shares(groups.map((one) => one.after));
  const most = Math.max(0.01, ...all, ...kept);
  const bar = (share: number, name: string) => (
    <span className={styles.bar} data-of={name}>
      <i style={{ "--share": share / most } as CSSProperties} />
      <span>{formatWholePercent(share)}</span>
    </span>
  );
  return (
    <Card title={title} hint={hint}>
      <table className={styles.lengths}>
        <thead>
          <tr>
            <th scope="col">{heading}</th>
            <th scope="col">{text.before}</th>
            <th scope="col">{text.after}</th>
          </tr>
        </thead>
        <tbody>
          {groups.map(({ name }, index) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{bar(all[index] ?? 0, "before")}</td>
              <td>{bar(kept[index] ?? 0, "after")}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  );
}

function shares(counts: readonly number[]): number[] {
  const total = counts.reduce((sum, one) => sum + one, 0);
  return counts.map((one) => (total > 0 ? one / total : 0));
}
