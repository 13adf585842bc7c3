import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { selectedRowsQuery } from "../../../api/selections";
import { t } from "../../../strings";
import { Card } from "../../../ui/Card";
import { Segments } from "../../../ui/Segments";
import { Paged } from "./Paged";
import { SelectedItem } from "./SelectedItem";
import styles from "./Selection.module.css";

const SHOWN = ["kept", "dropped"] as const;

type RowsCardProps = { place: { projectId: number; jobId: number } };

/** Rows to look through, of a method that puts none together. */
export function RowsCard({ place }: RowsCardProps) {
  const text = t.selection;
  const [shown, setShown] = useState<(typeof SHOWN)[number]>("kept");
  const found = useInfiniteQuery(selectedRowsQuery(place, shown === "kept"));
  const items = found.data?.pages.flatMap((page) => page.items) ?? [];
  const names = { kept: text.keptGroup, dropped: text.droppedGroup };
  return (
    <Card title={text.browseRows}>
      <Segments
        label={text.show.label}
        hideLabel
        options={SHOWN.map((value) => ({ value, name: names[value] }))}
        value={shown}
        onChange={setShown}
      />
      <Paged found={found} isEmpty={items.length === 0}>
        <ol className={styles.members}>
          {items.map((row) => (
            <SelectedItem key={row.example_id} projectId={place.projectId} row={row} />
          ))}
        </ol>
      </Paged>
    </Card>
  );
}
