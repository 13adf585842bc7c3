import type { Reason, Selection } from "../../../api/selections";
import { t } from "../../../strings";
import { formatCount, formatPercent } from "../../../ui/format";
import { Table } from "../../../ui/Table";
import styles from "./Selection.module.css";

/** Reasons for which a row is kept; all others say why one is not. */
const KEEPING: ReadonlySet<Reason> = new Set<Reason>([
  "best_of_cluster",
  "drawn_unranked",
  "by_people",
  "alone_kept",
  "score",
  "covers",
  "drawn",
  "long",
]);

/** How many rows there are of each reason, those that are kept first. */
export function ReasonsTable({ selection }: { selection: Selection }) {
  const text = t.selection;
  const all = Object.entries(selection.by_reason) as [Reason, number][];
  const rows = all.reduce((sum, [, count]) => sum + count, 0);
  const sorted = all
    .filter(([, count]) => count > 0)
    .sort(([a, one], [b, other]) => Number(KEEPING.has(b)) - Number(KEEPING.has(a)) || other - one);
  return (
    <Table label={text.reasons}>
      <thead>
        <tr>
          <th scope="col">{text.reason}</th>
          <th scope="col">
            <span className="visually-hidden">
              {text.keptGroup}, {text.droppedGroup}
            </span>
          </th>
          <th scope="col" data-number>
            {text.rows}
          </th>
          <th scope="col" data-number>
            {text.share}
          </th>
        </tr>
      </thead>
      <tbody>
        {sorted.map(([reason, count]) => (
          <tr key={reason}>
            <th scope="row">{text.why[reason] ?? reason}</th>
            <td>
              <span className={styles.fate} data-kept={KEEPING.has(reason) || undefined}>
                {KEEPING.has(reason) ? text.keptGroup : text.droppedGroup}
              </span>
            </td>
            <td data-number>{formatCount(count)}</td>
            <td data-number>{formatPercent(rows > 0 ? count / rows : null)}</td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}
