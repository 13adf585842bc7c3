import { useMemo, useState } from "react";
import { t, words } from "../../../strings";
import { managerWordsOf } from "../../../tasks/managerWords";
import { traitsOf } from "../../../tasks/traits";
import { Button } from "../../../ui/Button";
import { Dialog, DialogActions } from "../../../ui/Dialog";
import { ErrorNotice } from "../../../ui/ErrorNotice";
import { SelectField } from "../../../ui/Field";
import { divided } from "../folderContents";
import { isArchive } from "../folders";
import { KindChoice } from "../KindChoice";
import { KINDS, type Kind, kinds } from "../kinds";
import { LeftBehind } from "../LeftBehind";
import { isOfLabels, textsIn } from "../tables";
import type { DataSet } from "./dataSet";

export type Wish = "check" | "settings";
/** What is to become of a data set, and what it holds. */
export type Wished = {
  wish: Wish;
  kind: Kind;
  text?: string | undefined;
  label?: string | undefined;
};

type CheckDialogProps = {
  dataSet: DataSet;
  /** What is begun. */
  busy: Wish | null;
  error: Error | null;
  onWish: (wished: Wished) => void;
  onClose: () => void;
};

/** Asks what is to be done with a data set, and what cannot be told from its name. */
export function CheckDialog({ dataSet, busy, error, onWish, onClose }: CheckDialogProps) {
  const { content, table, found } = dataSet;
  const likely = found?.holds ?? "image";
  const [kind, setKind] = useState<Kind>(likely);
  const [chosen, setColumns] = useState(() => table && textsIn(table));
  const columns = kind === "text" ? chosen : null;
  const others = othersOf(dataSet);
  const asksNothing = columns === null && others.length === 0;
  const { medium, task } = kinds[kind];
  const said = words[medium].check;
  const { namesOneClass } = traitsOf({ task });
  const becomes = managerWordsOf({ task }).check(said);
  const [isLabelChosen, setLabelChosen] = useState(false);
  const wish = (wish: Wish) => {
    // Whoever labels by hand may have no labels yet: a column that was only guessed holds none.
    const isMeant = wish === "check" || isLabelChosen || (columns && isOfLabels(columns.label));
    onWish({ wish, kind, text: columns?.text, label: isMeant ? columns?.label : undefined });
  };
  const hasNoLabels = kind === found?.holds && !found.isLabeled;
  // Of boxes nobody judges yet which are wrong, and of answers it is people who say which are good.
  const isChecked = namesOneClass && !hasNoLabels;
  // What only may be labels is rather none.
  const isSure = columns === null || table?.states === true || isOfLabels(columns.label);
  const first = isChecked && isSure ? "check" : "settings";
  // Where nothing is to be chosen, what is likeliest waits for Enter.
  const autofocus = (wish: Wish) => (wish === first && asksNothing ? true : undefined);
  const left = useMemo(
    () => (content instanceof File ? [] : divided(content.files, kind).left),
    [content, kind],
  );
  return (
    <Dialog title={t.check.what(content.name)} wide={others.length > 1} onClose={onClose}>
      {others.length > 0 && (
        <KindChoice
          value={kind}
          offered={[likely, ...others.filter((one) => one !== likely)]}
          onChange={setKind}
        />
      )}
      <p>{namesOneClass && hasNoLabels ? said.unlabeled : becomes.text}</p>
      {table && columns && (
        <>
          <ColumnField
            label={said.textColumn}
            names={table.columns}
            value={columns.text}
            onChange={(text) => setColumns({ ...columns, text })}
          />
          {!table.states && isChecked && (
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
      <LeftBehind paths={[...left.map(({ path }) => path), ...dataSet.left]} holds={kind} />
      <ErrorNotice error={error} />
      <DialogActions>
        <Button kind="quiet" disabled={busy !== null} onClick={onClose}>
          {t.common.cancel}
        </Button>
        <Button
          kind={first === "settings" ? "primary" : "secondary"}
          data-autofocus={autofocus("settings")}
          busy={busy === "settings"}
          disabled={busy !== null}
          onClick={() => wish("settings")}
        >
          {becomes.goOn}
        </Button>
        {isChecked && (
          <Button
            kind={first === "check" ? "primary" : "secondary"}
            data-autofocus={autofocus("check")}
            busy={busy === "check"}
            disabled={busy !== null || (columns !== null && columns.text === columns.label)}
            onClick={() => wish("check")}
          >
            {said.find}
          </Button>
        )}
      </DialogActions>
    </Dialog>
  );
}

/** What else it may be, where names do not tell for certain; images with boxes may be wanted without them. */
function othersOf({ content, found }: DataSet): readonly Kind[] {
  if (content instanceof File && isArchive(content.name)) return KINDS;
  return found?.holds === "boxes" ? ["image"] : (found?.others ?? []);
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
