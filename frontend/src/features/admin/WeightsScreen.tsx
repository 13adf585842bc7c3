import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { weightsQuery } from "../../api/weights";
import { t } from "../../strings";
import { Button } from "../../ui/Button";
import { Card } from "../../ui/Card";
import { Empty, Failure, Loading, Skeleton } from "../../ui/State";
import { AddWeightsDialog } from "./AddWeightsDialog";
import styles from "./AdminScreen.module.css";
import { WeightsTable } from "./WeightsTable";

const { weights: text } = t;

/** Weights that projects may start from instead of published ones. */
export function WeightsScreen() {
  const found = useQuery(weightsQuery);
  const [isAdding, setAdding] = useState(false);
  const items = found.data?.items ?? [];
  return (
    <>
      <header className={styles.header}>
        <p className={styles.quiet}>{text.hint}</p>
        <Button kind="primary" onClick={() => setAdding(true)}>
          {text.add}
        </Button>
      </header>
      <Card>
        {found.isPending && (
          <Loading>
            <Skeleton height="10rem" />
          </Loading>
        )}
        {found.error && !found.data && (
          <Failure error={found.error} onRetry={() => found.refetch()} />
        )}
        {found.data && items.length === 0 && <Empty title={text.empty}>{text.emptyText}</Empty>}
        {items.length > 0 && <WeightsTable weights={items} />}
      </Card>
      {isAdding && <AddWeightsDialog onClose={() => setAdding(false)} />}
    </>
  );
}
