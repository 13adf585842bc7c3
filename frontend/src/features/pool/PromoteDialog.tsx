import { type FormEvent, useState } from "react";
import { t } from "../../strings";
import { Button } from "../../ui/Button";
import { Dialog, DialogActions } from "../../ui/Dialog";
import { ErrorNotice } from "../../ui/ErrorNotice";
import { TextField } from "../../ui/Field";
import styles from "./PoolScreen.module.css";

type PromoteDialogProps = {
  number: number;
  busy: boolean;
  error: Error | null;
  onConfirm: (name: string) => void;
  onClose: () => void;
};

export function PromoteDialog({ number, busy, error, onConfirm, onClose }: PromoteDialogProps) {
  const [name, setName] = useState("");
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (name.trim()) onConfirm(name.trim());
  };
  return (
    <Dialog title={t.pool.promote.title(number)} onClose={onClose}>
      <form className={styles.form} onSubmit={onSubmit}>
        <p>{t.pool.promote.text}</p>
        <TextField
          label={t.pool.promote.name}
          data-autofocus=""
          required
          maxLength={100}
          autoComplete="off"
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <ErrorNotice error={error} />
        <DialogActions>
          <Button onClick={onClose}>{t.common.cancel}</Button>
          <Button type="submit" kind="primary" busy={busy} disabled={!name.trim()}>
            {t.pool.promote.action}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
