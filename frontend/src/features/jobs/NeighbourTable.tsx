import type { Neighbours } from "../../api/types";
import { t } from "../../strings";
import { Card } from "../../ui/Card";
import { Chip } from "../../ui/Chip";
import { formatCount } from "../../ui/format";
import { Table } from "../../ui/Table";
import styles from "./NeighbourTable.module.css";
import { nearest } from "./nearest";

const { subset: text } = t.jobs;

/** A histogram of neighbours at each threshold, as a table that is darker where more images are. */
export function NeighbourTable({ neighbours }: { neighbours: Neighbours }) {
  const { tau, automatic, sampled, least, rows } = neighbours;
  const used = nearest(rows, tau);
  return (
    <Card title={text.neighbours} hint={text.neighboursHint(sampled, tau.toFixed(4), automatic)}>
      <Table label={text.neighbours}>
        <thead>
          <tr>
            <th scope="col">{text.tau}</th>
            <th scope="col" data-number>
              {text.median}
            </th>
            {least.map((from, index) => (
              <th key={from} scope="col" data-number>
                {text.bin(from, least[index + 1])}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.tau} aria-current={row === used || undefined}>
              <th scope="row" className={styles.tau}>
                {row === used ? tau.toFixed(4) : row.tau.toFixed(4)}{" "}
                {row === used && <Chip tone="gold">{text.inUseHere}</Chip>}
              </th>
              <td data-number>{formatCount(row.median)}</td>
              {least.map((from, index) => (
                <Share key={from} share={row.shares[index] ?? 0} />
              ))}
            </tr>
          ))}
        </tbody>
      </Table>
    </Card>
  );
}

function Share({ share }: { share: number }) {
  const percent = Math.round(100 * share);
  const background = `color-mix(in oklab, var(--gold) ${percent}%, transparent)`;
  return (
    <td data-number style={{ background }}>
      {share > 0 ? `${percent}\u00a0%` : ""}
    </td>
  );
}
