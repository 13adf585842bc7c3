import { type FormEvent, useState } from "react";
import { ApiError } from "../../api/errors";
import { t } from "../../strings";
import { Button } from "../../ui/Button";
import { Dialog, DialogActions } from "../../ui/Dialog";
import { ErrorNotice } from "../../ui/ErrorNotice";
import { TextField } from "../../ui/Field";
import styles from "./AccountScreen.module.css";

type ProofDialogProps = {
  title: string;
  text: string;
  action: string;
  danger?: boolean;
  busy: boolean;
  error: Error | null;
  onProof: (password: string, code: string) => void;
  onClose: () => void;
};

/** Asks for the password and a code before something of the second factor changes. */
export function ProofDialog(props: ProofDialogProps) {
  const { title, text, action, danger, busy, error, onProof, onClose } = props;
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  const field = error instanceof ApiError ? error.field : null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onProof(password, code);
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form className={styles.form} onSubmit={submit}>
        <p>{text}</p>
        <TextField
          label={t.people.oldPassword}
          type="password"
          autoComplete="current-password"
          required
          data-autofocus
          error={field === "password" ? error : null}
          value={password}
          onChange={(event) => setPassword(event.target.value)}
        />
        <TextField
          label={t.signIn.code}
          hint={t.signIn.codeHint}
          autoComplete="one-time-code"
          autoCapitalize="none"
          required
          error={field === "code" ? error : null}
          value={code}
          onChange={(event) => setCode(event.target.value)}
        />
        {!field && <ErrorNotice error={error} />}
        <DialogActions>
          <Button onClick={onClose}>{t.common.cancel}</Button>
          <Button type="submit" kind={danger ? "danger" : "primary"} busy={busy}>
            {action}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
