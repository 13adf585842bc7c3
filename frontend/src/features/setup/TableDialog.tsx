import { useState } from "react";
import type { TableChoice } from "../../api/imports";
import { t } from "../../strings";
import { Button } from "../../ui/Button";
import { Dialog, DialogActions } from "../../ui/Dialog";
import { CheckField, SelectField, TextField } from "../../ui/Field";
import { CountFromField } from "./CountFromField";
import styles from "./ImagesCard.module.css";

type TableDialogProps = {
  name: string;
  columns: string[];
  /** Columns that may say which image a row is about. */
  keys: string[];
  onTake: (columns: string[], choice: TableChoice) => void;
  onClose: () => void;
};

/** Asks which columns of a table are labels, and what is not certain by itself. */
export function TableDialog({ name, columns, keys, onTake, onClose }: TableDialogProps) {
  const [chosen, setChosen] = useState<string[]>(columns.length === 1 ? columns : []);
  const [key, setKey] = useState("");
  const [countFrom, setCountFrom] = useState<number | null>(null);
  const [model, setModel] = useState("");
  const [sure, setSure] = useState("");
  const { plan: text } = t.predictions;
  const isOfModel = model.trim() !== "";
  const toggle = (column: string) =>
    setChosen((before) =>
      before.includes(column) ? before.filter((one) => one !== column) : [...before, column],
    );
  return (
    <Dialog title={t.setup.tableTitle(name)} onClose={onClose}>
      <p>
        {columns.length > 0 ? (isOfModel ? text.column : t.setup.tableText) : t.setup.tableEmpty}
      </p>
      <div className={styles.columns}>
        {columns.map((column) => (
          <CheckField
            key={column}
            label={column}
            checked={chosen.includes(column)}
            onChange={() => toggle(column)}
          />
        ))}
      </div>
      {keys.length > 1 && (
        <SelectField
          label={t.setup.tableKey}
          hint={t.setup.tableKeyHint}
          value={key}
          onChange={(event) => setKey(event.target.value)}
        >
          <option value="">{t.setup.tableKeyAny}</option>
          {keys.map((column) => (
            <option key={column} value={column}>
              {column}
            </option>
          ))}
        </SelectField>
      )}
      {columns.length > 0 && <CountFromField value={countFrom} onChange={setCountFrom} />}
      {columns.length > 0 && (
        <TextField
          label={text.label}
          hint={text.hint}
          value={model}
          autoComplete="off"
          maxLength={200}
          onChange={(event) => setModel(event.target.value)}
        />
      )}
      {isOfModel && columns.length > 1 && (
        <SelectField
          label={text.sure}
          value={sure}
          onChange={(event) => setSure(event.target.value)}
        >
          <option value="">{text.none}</option>
          {columns.map((column) => (
            <option key={column} value={column}>
              {column}
            </option>
          ))}
        </SelectField>
      )}
      <DialogActions>
        <Button onClick={onClose}>{t.common.cancel}</Button>
        <Button
          kind="primary"
          disabled={chosen.length === 0}
          onClick={() =>
            onTake(
              columns.filter((one) => chosen.includes(one) && !(isOfModel && one === sure)),
              {
                ...{ key: key || null, countFrom },
                ...(isOfModel && { model: model.trim(), sure: sure || null }),
              },
            )
          }
        >
          {isOfModel ? text.take : t.setup.tableTake}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
