import { type FormEvent, useState } from "react";
import type { Project } from "../../api/types";
import { t } from "../../strings";
import { type Sayable, sayable } from "../../tasks/byHand";
import { Button } from "../../ui/Button";
import { Dialog, DialogActions } from "../../ui/Dialog";
import { ErrorNotice } from "../../ui/ErrorNotice";
import { SelectField } from "../../ui/Field";
import styles from "./PoolScreen.module.css";
import { TAKE_BACK } from "./useJudge";

const text = t.pool.byHand.many;

type LabelDialogProps = {
  project: Project;
  /** How many images it is for, as far as that is known. */
  count: string;
  busy: boolean;
  error: Error | null;
  onSay: (choice: Sayable["choice"], name: string) => void;
  onClose: () => void;
};

/** One verdict for all that are selected. */
export function LabelDialog({ project, count, busy, error, onSay, onClose }: LabelDialogProps) {
  const [chosen, setChosen] = useState("");
  const choices = [
    ...sayable(project),
    { choice: TAKE_BACK, name: text.takeBack } satisfies Omit<Sayable, "key">,
  ];
  const choice = chosen === "" ? undefined : choices[Number(chosen)];
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (choice) onSay(choice.choice, choice.name);
  };
  return (
    <Dialog title={text.title(count)} onClose={onClose}>
      <form className={styles.form} onSubmit={onSubmit}>
        <SelectField
          label={text.as}
          hint={text.text}
          data-autofocus=""
          required
          value={chosen}
          onChange={(event) => setChosen(event.target.value)}
        >
          <option value="">{text.choose}</option>
          {choices.map(({ name, choice }, index) => (
            <option key={`${choice.verdict}-${choice.classId}`} value={index}>
              {name}
            </option>
          ))}
        </SelectField>
        <ErrorNotice error={error} />
        <DialogActions>
          <Button onClick={onClose}>{t.common.cancel}</Button>
          <Button type="submit" kind="primary" busy={busy} disabled={!choice}>
            {choice?.choice === TAKE_BACK ? text.takeBack : text.confirm}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
