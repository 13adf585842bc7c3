import { useState } from "react";
import { t } from "../../strings";
import { Button } from "../../ui/Button";
import { Dialog, DialogActions } from "../../ui/Dialog";
import { CheckField } from "../../ui/Field";
import styles from "./ImagesCard.module.css";

type TableDialogProps = {
  name: string;
  columns: string[];
  onTake: (columns: string[]) => void;
  onClose: () => void;
};

/** Asks which columns of a table are labels. */
export function TableDialog({ name, columns, onTake, onClose }: TableDialogProps) {
  const [chosen, setChosen] = useState<string[]>(columns.length === 1 ? columns : []);
  const toggle = (column: string) =>
    setChosen((before) =>
      before.includes(column) ? before.filter((one) => one !== column) : [...before, column],
    );
  return (
    <Dialog title={t.setup.tableTitle(name)} onClose={onClose}>
      <p>{columns.length > 0 ? t.setup.tableText : t.setup.tableEmpty}</p>
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
      <DialogActions>
        <Button onClick={onClose}>{t.common.cancel}</Button>
        <Button
          kind="primary"
          disabled={chosen.length === 0}
          onClick={() => onTake(columns.filter((column) => chosen.includes(column)))}
        >
          {t.setup.tableTake}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
