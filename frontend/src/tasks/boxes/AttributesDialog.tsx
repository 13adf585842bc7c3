import { type FormEvent, useLayoutEffect, useRef, useState } from "react";
import { t } from "../../strings";
import { Button } from "../../ui/Button";
import { Dialog, DialogActions } from "../../ui/Dialog";
import { SelectField, TextField } from "../../ui/Field";
import { focusInvalid } from "../../ui/focusInvalid";
import { IconButton } from "../../ui/IconButton";
import styles from "./Attributes.module.css";
import {
  attributesOf,
  emptyRow,
  faultsOf,
  KINDS,
  type Kind,
  LONGEST_NAME,
  LONGEST_VALUE,
  MOST_ATTRIBUTES,
  type Row,
  rowsOf,
} from "./attributeRows";
import type { Attributes } from "./model";

const text = t.boxes.attributes;
const CROSS = "M4 4l8 8M12 4l-8 8";

type AttributesDialogProps = {
  /** What the box is around. */
  name: string;
  attributes: Attributes;
  onDone: (attributes: Attributes) => void;
  onClose: () => void;
};

/** The attributes of a box as rows of name, kind and value. */
export function AttributesDialog({ name, attributes, onDone, onClose }: AttributesDialogProps) {
  const [rows, setRows] = useState(() => rowsOf(attributes));
  const form = useRef<HTMLFormElement>(null);
  const lastId = useRef(rows.length);
  const shown = useRef(rows.length);
  const faults = faultsOf(rows);
  const change = (id: number, by: Partial<Row>) =>
    setRows(rows.map((row) => (row.id === id ? { ...row, ...by } : row)));
  const add = () => {
    lastId.current += 1;
    setRows([...rows, emptyRow(lastId.current)]);
  };
  // To the row that came, or from one that went, along with which the focus would go.
  useLayoutEffect(() => {
    if (rows.length === shown.current) return;
    shown.current = rows.length;
    form.current?.querySelector<HTMLElement>("fieldset:last-of-type input")?.focus();
  }, [rows.length]);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (focusInvalid(event.currentTarget)) return;
    onClose();
    onDone(attributesOf(rows));
  };
  return (
    <Dialog title={text.of(name)} onClose={onClose} wide>
      <form ref={form} className={styles.form} onSubmit={submit}>
        <p className={styles.hint}>{text.hint}</p>
        {rows.map((row, place) => (
          <fieldset key={row.id} className={styles.fields}>
            <legend className="visually-hidden">{text.row(place + 1)}</legend>
            <TextField
              label={text.name}
              hideLabel={place > 0}
              value={row.name}
              maxLength={LONGEST_NAME}
              autoComplete="off"
              error={faults.get(row.id)?.name}
              onChange={(event) => change(row.id, { name: event.target.value })}
            />
            <SelectField
              label={text.kind}
              hideLabel={place > 0}
              value={row.kind}
              onChange={(event) => change(row.id, { kind: event.target.value as Kind })}
            >
              {KINDS.map((kind) => (
                <option key={kind} value={kind}>
                  {text.kinds[kind]}
                </option>
              ))}
            </SelectField>
            <Value {...{ row, place, change }} fault={faults.get(row.id)?.value} />
            <IconButton
              name={text.remove(row.name)}
              path={CROSS}
              onClick={() => setRows(rows.filter(({ id }) => id !== row.id))}
            />
          </fieldset>
        ))}
        <Button kind="quiet" size="small" disabled={rows.length >= MOST_ATTRIBUTES} onClick={add}>
          {text.add}
        </Button>
        <DialogActions>
          <Button onClick={onClose}>{t.common.cancel}</Button>
          <Button kind="primary" type="submit">
            {text.done}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

type ValueProps = {
  row: Row;
  place: number;
  fault: string | undefined;
  change: (id: number, by: Partial<Row>) => void;
};

function Value({ row, place, fault, change }: ValueProps) {
  const { id, kind, value } = row;
  if (kind === "truth") {
    return (
      <SelectField
        label={text.value}
        hideLabel={place > 0}
        value={value === "true" ? "true" : "false"}
        onChange={(event) => change(id, { value: event.target.value })}
      >
        <option value="true">{text.yes}</option>
        <option value="false">{text.no}</option>
      </SelectField>
    );
  }
  return (
    <TextField
      label={text.value}
      hideLabel={place > 0}
      value={value}
      dir="auto"
      inputMode={kind === "number" ? "decimal" : undefined}
      maxLength={LONGEST_VALUE}
      autoComplete="off"
      error={fault}
      onChange={(event) => change(id, { value: event.target.value })}
    />
  );
}
