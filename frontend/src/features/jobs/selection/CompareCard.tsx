import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type SelectedRow, selectionComparisonQuery } from "../../../api/selections";
import { t } from "../../../strings";
import { Card } from "../../../ui/Card";
import { SelectField } from "../../../ui/Field";
import { Figures } from "../../../ui/Figures";
import { formatCount, formatPercent } from "../../../ui/format";
import { useSelections } from "../../../ui/jobs/useSelections";
import { Failure, Loading, Skeleton } from "../../../ui/State";
import { SelectedItem } from "./SelectedItem";
import styles from "./Selection.module.css";

type Place = { projectId: number; jobId: number };

/** This selection beside another one of the project; nothing where there is no other. */
export function CompareCard({ place }: { place: Place }) {
  const text = t.selection;
  const [other, setOther] = useState<number | null>(null);
  const others = useSelections(place.projectId).filter(({ id }) => id !== place.jobId);
  if (others.length === 0) return null;
  return (
    <Card title={text.compare} hint={text.compareHint}>
      <SelectField
        label={text.compareWith}
        value={other ?? ""}
        onChange={(event) => setOther(Number(event.target.value) || null)}
      >
        <option value="">{text.compareNone}</option>
        {others.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </SelectField>
      {other !== null && <Both place={place} other={other} />}
    </Card>
  );
}

function Both({ place, other }: { place: Place; other: number }) {
  const text = t.selection;
  const found = useQuery(selectionComparisonQuery(place, other));
  if (found.error && !found.data)
    return <Failure error={found.error} onRetry={() => found.refetch()} />;
  if (!found.data) {
    return (
      <Loading>
        <Skeleton height="8rem" />
      </Loading>
    );
  }
  const { both, only_one, only_other, jaccard, first_only_one, first_only_other } = found.data;
  const side = (title: string, rows: SelectedRow[]) => (
    <section aria-label={title}>
      <h3>{title}</h3>
      {rows.length === 0 && <p className={styles.quiet}>{text.none}</p>}
      <ol className={styles.members}>
        {rows.map((row) => (
          <SelectedItem key={row.example_id} projectId={place.projectId} row={row} />
        ))}
      </ol>
    </section>
  );
  return (
    <>
      <Figures
        figures={[
          [text.both, formatCount(both)],
          [text.onlyThis, formatCount(only_one)],
          [text.onlyOther, formatCount(only_other)],
          [text.overlap, formatPercent(jaccard)],
        ]}
      />
      <div className={styles.pair}>
        {side(text.onlyThisTitle, first_only_one)}
        {side(text.onlyOtherTitle, first_only_other)}
      </div>
    </>
  );
}
