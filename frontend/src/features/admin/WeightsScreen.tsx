import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useSearchParams } from "react-router";
import { weightsQuery } from "../../api/weights";
import { t } from "../../strings";
import { Button } from "../../ui/Button";
import { Card } from "../../ui/Card";
import { Fetching } from "../../ui/Fetching";
import { Empty } from "../../ui/State";
import { AddWeightsDialog } from "./AddWeightsDialog";
import styles from "./AdminScreen.module.css";
import { WeightsTable } from "./WeightsTable";

const { weights: text } = t;

/** Weights that projects may start from instead of published ones. */
export function WeightsScreen() {
  const found = useQuery(weightsQuery);
  // Who was led here from a model has said which network it is for.
  const [wanted, setWanted] = useSearchParams();
  const [isAdding, setAdding] = useState(wanted.has("library"));
  const close = () => {
    setAdding(false);
    setWanted({}, { replace: true });
  };
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
        <Fetching of={found} height="10rem" />
        {found.data && items.length === 0 && <Empty title={text.empty}>{text.emptyText}</Empty>}
        {items.length > 0 && <WeightsTable weights={items} />}
      </Card>
      {isAdding && (
        <AddWeightsDialog
          library={wanted.get("library")}
          architecture={wanted.get("architecture") ?? ""}
          onClose={close}
        />
      )}
    </>
  );
}
