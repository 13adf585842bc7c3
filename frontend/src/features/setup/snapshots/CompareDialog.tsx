import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import {
  type Snapshot,
  type SnapshotDiff,
  type SnapshotSide,
  snapshotDiffQuery,
} from "../../../api/snapshots";
import { Gallery } from "../../../media/Gallery";
import { t } from "../../../strings";
import { Button } from "../../../ui/Button";
import { Dialog, DialogActions } from "../../../ui/Dialog";
import { SelectField } from "../../../ui/Field";
import { Figures } from "../../../ui/Figures";
import { formatCount } from "../../../ui/format";
import { More } from "../../../ui/More";
import { Failure, Loading, Skeleton } from "../../../ui/State";
import { Table } from "../../../ui/Table";
import styles from "./Snapshots.module.css";

const { snapshots: text } = t;

type CompareDialogProps = {
  projectId: number;
  /** What it is called that an image is none of what is looked for. */
  none: string;
  /** The newest first. */
  snapshots: Snapshot[];
  chosen: Snapshot;
  onClose: () => void;
};

/** What changed from a snapshot to another. */
export function CompareDialog({ snapshots, chosen, onClose, ...of }: CompareDialogProps) {
  const [one, other] = pairWith(chosen, snapshots);
  const [from, setFrom] = useState(one.name);
  const [to, setTo] = useState(other.name);
  const names = snapshots.map(({ name }) => name);
  return (
    <Dialog title={text.compareTitle} wide onClose={onClose}>
      <div className={styles.sides}>
        <Side label={text.from} names={names} value={from} onChange={setFrom} />
        <Side label={text.to} names={names} value={to} onChange={setTo} />
      </div>
      {from === to ? (
        <p>{text.sameOne}</p>
      ) : (
        <Differences key={`${from}/${to}`} {...of} from={from} to={to} />
      )}
      <DialogActions>
        <Button onClick={onClose}>{t.common.close}</Button>
      </DialogActions>
    </Dialog>
  );
}

/** With the one before it, of the same part of the project if there is one; the oldest with the newest. */
function pairWith(chosen: Snapshot, snapshots: Snapshot[]): [Snapshot, Snapshot] {
  const older = snapshots.slice(snapshots.indexOf(chosen) + 1);
  const part = JSON.stringify(chosen.filters);
  const before = older.find(({ filters }) => JSON.stringify(filters) === part) ?? older[0];
  return before ? [before, chosen] : [chosen, snapshots[0] ?? chosen];
}

type SideProps = {
  label: string;
  names: string[];
  value: string;
  onChange: (name: string) => void;
};

function Side({ label, names, value, onChange }: SideProps) {
  return (
    <SelectField label={label} value={value} onChange={(event) => onChange(event.target.value)}>
      {names.map((name) => (
        <option key={name}>{name}</option>
      ))}
    </SelectField>
  );
}

type DifferencesProps = Pick<CompareDialogProps, "projectId" | "none"> & {
  from: string;
  to: string;
};

function Differences({ projectId, none, from, to }: DifferencesProps) {
  const diff = useInfiniteQuery(snapshotDiffQuery(projectId, from, to));
  if (diff.error && !diff.data) {
    return <Failure error={diff.error} onRetry={() => diff.refetch()} />;
  }
  const first = diff.data?.pages[0];
  if (!first) {
    return (
      <Loading>
        <Skeleton height="8rem" />
      </Loading>
    );
  }
  if (first.same) return <p>{text.same}</p>;
  const items = diff.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <>
      <Figures
        figures={FIGURES.filter((name) => first[name] > 0).map((name) => [
          text.figures[name],
          formatCount(first[name]),
        ])}
      />
      {first.renamed.map(({ id, before, after }) => (
        <p key={id}>{text.renamed(before, after)}</p>
      ))}
      {first.flows.length > 0 && <Flows flows={first.flows} none={none} />}
      <Gallery
        images={items.map(({ example_id, name, before, after }) => {
          const [was, is] = [saidOf(before, none), saidOf(after, none)];
          return {
            id: example_id,
            text: text.became(name, was, is),
            caption: (
              <span className={styles.caption}>
                {was} → {is}
              </span>
            ),
          };
        })}
      />
      <More list={diff}>{t.admin.more}</More>
    </>
  );
}

const FIGURES = ["added", "gone", "relabeled", "other_origin", "unchanged"] as const;

function Flows({ flows, none }: { flows: SnapshotDiff["flows"]; none: string }) {
  return (
    <Table label={text.flows}>
      <thead>
        <tr>
          <th scope="col">{text.before}</th>
          <th scope="col">{text.after}</th>
          <th scope="col" data-number>
            {text.images}
          </th>
        </tr>
      </thead>
      <tbody>
        {flows.map((one) => {
          const was = outcome(one.before_verdict, one.before_class, one.before_no_objects, none);
          const is = outcome(one.after_verdict, one.after_class, one.after_no_objects, none);
          return (
            <tr key={`${was}/${is}`}>
              <td>{was}</td>
              <td>{is}</td>
              <td data-number>{formatCount(one.examples)}</td>
            </tr>
          );
        })}
      </tbody>
    </Table>
  );
}

function saidOf(side: SnapshotSide | null, none: string): string {
  if (side === null) return text.absent;
  const said = outcome(side.verdict, side.class_name, side.no_objects, none);
  return side.origin ? text.by(said, text.origins[side.origin] ?? side.origin) : said;
}

function outcome(
  verdict: string | null,
  className: string | null,
  isEmpty: boolean,
  none: string,
): string {
  if (isEmpty) return t.boxes.none;
  if (className !== null) return className;
  if (verdict === null) return text.nothing;
  if (verdict === "ood") return none;
  return text.verdicts[verdict] ?? text.labeled;
}
