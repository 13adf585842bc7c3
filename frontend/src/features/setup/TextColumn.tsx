import { type FormEvent, useState } from "react";
import { t } from "../../strings";
import { Button } from "../../ui/Button";
import { TextField } from "../../ui/Field";
import styles from "./PlanDialog.module.css";

type TextColumnProps = { column: string; busy: boolean; onChange: (column: string) => void };

/** Which column the texts are read from; with another one it is planned anew. */
export function TextColumn({ column, busy, onChange }: TextColumnProps) {
  const [typed, setTyped] = useState(column);
  const { textColumn: text } = t.setup.medium;
  const wanted = typed.trim();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (wanted !== "" && wanted !== column) onChange(wanted);
  };
  return (
    <form className={styles.text} onSubmit={submit}>
      <TextField
        label={text.label}
        hint={text.hint}
        value={typed}
        autoComplete="off"
        onChange={(event) => setTyped(event.target.value)}
      />
      {wanted !== "" && wanted !== column && (
        <Button type="submit" size="small" busy={busy}>
          {text.again}
        </Button>
      )}
    </form>
  );
}
