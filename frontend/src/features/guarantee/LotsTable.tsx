import type { Lot } from "../../api/guarantee";
import type { LabelClass } from "../../api/types";
import { t } from "../../strings";
import { Chip } from "../../ui/Chip";
import { formatCount } from "../../ui/format";
import { highOf } from "../../ui/outOf";
import { endsOf } from "../../ui/shares";
import { Table } from "../../ui/Table";
import { Group } from "./Group";
import styles from "./Guarantee.module.css";
import { sorted } from "./words";

const TONES = { passed: "good", people: "plain", open: "gold" } as const;

type LotsTableProps = {
  lots: readonly Lot[];
  classes: readonly LabelClass[];
  target: number;
  /** Whether something is promised of each class by itself, and not of all groups together. */
  apart: boolean;
};

/** Every group and how much of it was checked; of classes apart, how many labels of the groups of a class may be wrong, together. */
export function LotsTable({ lots, classes, target, apart }: LotsTableProps) {
  const { lots: text } = t.guarantee;
  const { columns } = text;
  const rows = sorted(lots, classes);
  /** Whether a group holds together with the one above it: they share one bound. */
  const isHeldWithLast = (at: number) =>
    at > 0 &&
    rows[at]?.bound !== null &&
    rows[at]?.class_id === rows[at - 1]?.class_id &&
    rows[at]?.bound === rows[at - 1]?.bound;
  /** How many groups from here on hold together. */
  const heldFrom = (at: number): number =>
    1 + (at + 1 < rows.length && isHeldWithLast(at + 1) ? heldFrom(at + 1) : 0);
  const bounds = lots.flatMap(({ bound }) => (bound === null ? [] : [bound]));
  // The line stands where it can be told from both ends, however far bounds are above it.
  const most = Math.min(Math.max(2 * target, ...bounds), 6 * target);
  return (
    <>
      <Table label={text.title}>
        <thead>
          <tr>
            <th scope="col">{columns.group}</th>
            <th scope="col" data-number>
              {columns.images}
            </th>
            <th scope="col">{columns.state}</th>
            {apart && <th scope="col">{columns.bound}</th>}
            <th scope="col" data-number>
              {columns.checked}
            </th>
            <th scope="col" data-number>
              {columns.wrong}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((lot, at) => (
            <tr key={lot.id}>
              <th scope="row">
                <Group classId={lot.class_id} classes={classes} />
                <small className={styles.below}>{bandOf(lot)}</small>
              </th>
              <td data-number>{formatCount(lot.size)}</td>
              <td>
                <Chip tone={TONES[lot.state]}>{text.states[lot.state]}</Chip>
              </td>
              {apart && !isHeldWithLast(at) && (
                <td rowSpan={heldFrom(at)}>
                  <Bound bound={lot.bound} target={target} most={most} />
                </td>
              )}
              <td data-number>{formatCount(lot.drawn)}</td>
              <td data-number title={lot.unsure > 0 ? text.unsure(lot.unsure) : undefined}>
                {formatCount(lot.wrong)}
              </td>
            </tr>
          ))}
        </tbody>
      </Table>
      {apart && (
        <p className={styles.quiet}>
          {text.together} {text.target(highOf(target))}
        </p>
      )}
    </>
  );
}

const bandOf = ({ band: { low, high } }: Lot): string =>
  t.guarantee.lots.band(...endsOf(low, high));

type BoundProps = { bound: number | null; target: number; most: number };

/** A bar as long as what may be wrong, with a line at what was asked for. */
function Bound({ bound, target, most }: BoundProps) {
  const at = (share: number) => `${Math.min(100, (100 * share) / most)}%`;
  return (
    <span className={styles.bound} data-over={bound !== null && bound > target ? true : undefined}>
      <span className={styles.track} aria-hidden="true">
        {bound !== null && <i style={{ width: at(bound) }} />}
        <b style={{ left: at(target) }} />
      </span>
      <span>{bound === null ? "–" : highOf(bound)}</span>
    </span>
  );
}
