import type { CSSProperties } from "react";
import type { Selection } from "../../../api/selections";
import { t } from "../../../strings";
import { Card } from "../../../ui/Card";
import { formatWholePercent } from "../../../ui/format";
import styles from "./Selection.module.css";

type TopicsCardProps = { topics: Selection["topics"] };

/** What rows are about, all of them and those that are kept: bars beside each other. */
export function TopicsCard({ topics }: TopicsCardProps) {
  const text = t.selection;
  const shares = (counts: readonly number[]) => {
    const total = counts.reduce((sum, one) => sum + one, 0);
    return counts.map((one) => (total > 0 ? one / total : 0));
  };
  const all = shares(topics.map((one) => one.rows));
  const kept = shares(topics.map((one) => one.kept));
  const most = Math.max(0.01, ...all, ...kept);
  const bar = (share: number, name: string) => (
    <span className={styles.bar} data-of={name}>
      <i style={{ "--share": share / most } as CSSProperties} />
      <span>{formatWholePercent(share)}</span>
    </span>
  );
  return (
    <Card title={text.topics} hint={text.topicsHint}>
      <table className={styles.lengths}>
        <thead>
          <tr>
            <th scope="col">{text.words}</th>
            <th scope="col">{text.before}</th>
            <th scope="col">{text.after}</th>
          </tr>
        </thead>
        <tbody>
          {topics.map((topic, index) => (
            <tr key={topic.words.join(" ") || index}>
              <th scope="row">{topic.words.join(", ") || "–"}</th>
              <td>{bar(all[index] ?? 0, "before")}</td>
              <td>{bar(kept[index] ?? 0, "after")}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  );
}
