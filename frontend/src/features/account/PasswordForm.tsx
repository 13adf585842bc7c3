import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { changePassword, meQuery } from "../../api/auth";
import { ApiError } from "../../api/errors";
import { t } from "../../strings";
import { Button } from "../../ui/Button";
import { ErrorNotice } from "../../ui/ErrorNotice";
import { TextField } from "../../ui/Field";
import { Notice } from "../../ui/State";
import styles from "./AccountScreen.module.css";

const LEAST = 10;
const EMPTY = { old: "", fresh: "", again: "" };

type PasswordFormProps = {
  /** What the password is called that is to be replaced. */
  oldLabel: string;
  /** For password managers, so that they know whose it is. */
  email: string;
};

/** Replaces the user's own password. */
export function PasswordForm({ oldLabel, email }: PasswordFormProps) {
  const [typed, setTyped] = useState(EMPTY);
  const client = useQueryClient();
  const change = useMutation({
    mutationFn: () => changePassword(typed.old, typed.fresh),
    onSuccess: (me) => {
      setTyped(EMPTY);
      client.setQueryData(meQuery.queryKey, me);
    },
  });
  const differ = typed.again !== "" && typed.again !== typed.fresh;
  const { error } = change;
  const field = error instanceof ApiError ? error.field : null;
  const bind = (name: keyof typeof EMPTY) => ({
    type: "password",
    required: true,
    value: typed[name],
    onChange: (event: { target: HTMLInputElement }) => {
      change.reset();
      setTyped({ ...typed, [name]: event.target.value });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (typed.again === typed.fresh) change.mutate();
  };
  return (
    <form className={styles.passwords} onSubmit={submit}>
      <input type="hidden" autoComplete="username" value={email} readOnly />
      <TextField
        label={oldLabel}
        autoComplete="current-password"
        error={field === "old_password" ? error : null}
        {...bind("old")}
      />
      <TextField
        label={t.people.newPassword}
        autoComplete="new-password"
        minLength={LEAST}
        error={field === "password" ? error : null}
        {...bind("fresh")}
      />
      <TextField
        label={t.people.repeatPassword}
        autoComplete="new-password"
        error={differ ? t.people.passwordsDiffer : null}
        {...bind("again")}
      />
      {!field && <ErrorNotice error={error} />}
      <Button type="submit" kind="primary" busy={change.isPending} disabled={differ}>
        {t.people.changePassword}
      </Button>
      <div role="status">{change.isSuccess && <Notice>{t.people.passwordChanged}</Notice>}</div>
    </form>
  );
}
