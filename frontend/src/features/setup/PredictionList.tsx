import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { predictionsQuery, removePredictions } from "../../api/predictions";
import type { ImportedPredictions } from "../../api/types";
import { t } from "../../strings";
import { Button } from "../../ui/Button";
import { Chip } from "../../ui/Chip";
import { ConfirmDialog } from "../../ui/ConfirmDialog";
import { Items } from "../../ui/Items";
import styles from "./SyncList.module.css";

/** Models whose predictions were imported; nothing where there are none. */
export function PredictionList({ projectId }: { projectId: number }) {
  const items = useQuery(predictionsQuery(projectId)).data?.items ?? [];
  const text = t.predictions;
  if (items.length === 0) return null;
  return (
    <section className={styles.syncs} aria-label={text.title}>
      <h3>{text.title}</h3>
      <p className={styles.quiet}>{text.hint}</p>
      <Items>
        {items.map((one, place) => (
          <Model key={one.model} projectId={projectId} of={one} serves={place === 0} />
        ))}
      </Items>
    </section>
  );
}

type ModelProps = { projectId: number; of: ImportedPredictions; serves: boolean };

function Model({ projectId, of: { model, examples }, serves }: ModelProps) {
  const client = useQueryClient();
  const [removing, setRemoving] = useState(false);
  const remove = useMutation({
    mutationFn: () => removePredictions(projectId, model),
    onSettled: () => client.invalidateQueries({ queryKey: predictionsQuery(projectId).queryKey }),
  });
  const text = t.predictions;
  return (
    <li>
      <div className={styles.head}>
        <strong>{model}</strong>
        <span className={styles.quiet}>{text.of(examples)}</span>
        {serves && <Chip tone="good">{text.serves}</Chip>}
        <Button
          size="small"
          kind="quiet"
          aria-label={text.removeThis(model)}
          onClick={() => setRemoving(true)}
        >
          {text.remove}
        </Button>
      </div>
      {removing && (
        <ConfirmDialog
          title={text.removeTitle(model)}
          text={text.removeText}
          action={text.remove}
          danger
          does={remove}
          onConfirm={() => remove.mutate()}
          onClose={() => setRemoving(false)}
        />
      )}
    </li>
  );
}
