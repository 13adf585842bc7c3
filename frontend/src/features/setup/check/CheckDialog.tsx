import { useState } from "react";
import { t, words } from "../../../strings";
import type { Medium } from "../../../strings/medium";
import { Button } from "../../../ui/Button";
import { Dialog, DialogActions } from "../../../ui/Dialog";
import { ErrorNotice } from "../../../ui/ErrorNotice";
import { SelectField } from "../../../ui/Field";
import type { Source } from "../folders";
import { KindChoice } from "../KindChoice";
import { isOfLabels, type Table, textsIn } from "../tables";

/** What can be looked through for wrong labels. */
const CHECKED: readonly Medium[] = ["image", "text"];

export type Wish = "check" | "settings";
/** What is to become of a data set, and what it holds. */
export type Wished = {
  wish: Wish;
  medium: Medium;
  text?: string | undefined;
  label?: string | undefined;
};

type CheckDialogProps = {
  content: File | Source;
  /** Its columns, if it is a table of texts. */
  table: Table | null;
  /** What is begun. */
  busy: Wish | null;
  error: Error | null;
  onWish: (wished: Wished) => void;
  onClose: () => void;
};

/** Asks what is to be done with a data set, and what cannot be told from its name. */
export function CheckDialog(props: CheckDialogProps) {
  const { content, table, busy, error, onWish, onClose } = props;
  const [chosen, setChosen] = useState<Medium>("image");
  const [columns, setColumns] = useState(() => table && textsIn(table));
  const medium = table ? "text" : chosen;
  const said = words[medium].check;
  const [isLabelChosen, setLabelChosen] = useState(false);
  const wish = (wish: Wish) => {
    // Whoever labels by hand may have no labels yet: a column that was only guessed holds none.
    const isMeant = wish === "check" || isLabelChosen || (columns && isOfLabels(columns.label));
    onWish({ wish, medium, text: columns?.text, label: isMeant ? columns?.label : undefined });
  };
  return (
    <Dialog title={t.check.what(content.name)} onClose={onClose}>
      {content instanceof File && !table && (
        <KindChoice value={medium} offered={CHECKED} onChange={setChosen} />
      )}
      <p>{said.whatHint}</p>
      {table && columns && (
        <>
          <ColumnField
            label={said.textColumn}
            names={table.columns}
            value={columns.text}
            onChange={(text) => setColumns({ ...columns, text })}
          />
          {!table.states && (
            <ColumnField
              label={said.labelColumn}
              names={table.columns.filter((name) => name !== columns.text)}
              value={columns.label}
              onChange={(label) => {
                setLabelChosen(true);
                setColumns({ ...columns, label });
              }}
            />
          )}
        </>
      )}
      <ErrorNotice error={error} />
      <DialogActions>
        <Button disabled={busy !== null} onClick={() => wish("settings")}>
          {said.labelThem}
        </Button>
        <Button
          kind="primary"
          busy={busy !== null}
          disabled={columns !== null && columns.text === columns.label}
          onClick={() => wish("check")}
        >
          {said.find}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

type ColumnFieldProps = {
  label: string;
  names: string[];
  value: string;
  onChange: (name: string) => void;
};

function ColumnField({ label, names, value, onChange }: ColumnFieldProps) {
  return (
    <SelectField label={label} value={value} onChange={(event) => onChange(event.target.value)}>
      {names.map((name) => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
    </SelectField>
  );
}
