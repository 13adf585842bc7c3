import { type FormEvent, useState } from "react";
import type { ImportPlan } from "../../api/types";
import { t } from "../../strings";
import { Button } from "../../ui/Button";
import { TextField } from "../../ui/Field";
import styles from "./PlanDialog.module.css";
import { Reasons } from "./Reasons";

type PlanPredictionsProps = {
  plan: ImportPlan;
  busy: boolean;
  /** It is planned anew, as predictions of a model; of one without a name as labels. */
  onChange: (asked: { predictions: string; probability_column?: string }) => void;
};

/** What models predict, and whether what looks like labels is what one does. */
export function PlanPredictions({ plan, busy, onChange }: PlanPredictionsProps) {
  const [typed, setTyped] = useState("");
  const [sure, setSure] = useState("");
  const { plan: text } = t.predictions;
  const { predictions = [], predictions_of: model = null } = plan;
  const says = plan.labels.some((one) => one.stated || one.chosen) || plan.documents.length > 0;
  const wanted = typed.trim();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const column = sure.trim();
    if (wanted !== "")
      onChange({ predictions: wanted, ...(column && { probability_column: column }) });
  };
  return (
    <>
      {predictions.map((one) => (
        <div key={one.model} className={styles.hint}>
          <p>{text.readable(one.model, one.readable)}</p>
          <Reasons title={text.leftAside} reasons={one.left_aside} />
        </div>
      ))}
      {model !== null && (
        <div>
          <Button size="small" busy={busy} onClick={() => onChange({ predictions: "" })}>
            {text.labels}
          </Button>
        </div>
      )}
      {model === null && predictions.length === 0 && says && (
        <form className={styles.text} onSubmit={submit}>
          <TextField
            label={text.label}
            hint={text.hint}
            value={typed}
            autoComplete="off"
            maxLength={200}
            onChange={(event) => setTyped(event.target.value)}
          />
          {wanted !== "" && plan.labels.some((one) => one.chosen && !one.stated) && (
            <TextField
              label={text.sure}
              value={sure}
              autoComplete="off"
              maxLength={200}
              onChange={(event) => setSure(event.target.value)}
            />
          )}
          {wanted !== "" && (
            <Button type="submit" size="small" busy={busy}>
              {text.again}
            </Button>
          )}
        </form>
      )}
    </>
  );
}
