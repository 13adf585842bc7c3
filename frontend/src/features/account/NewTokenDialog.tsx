import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { createToken, tokensQuery } from "../../api/auth";
import type { TokenWithSecret } from "../../api/types";
import { t } from "../../strings";
import { Button } from "../../ui/Button";
import { Dialog, DialogActions } from "../../ui/Dialog";
import { SelectField, TextField } from "../../ui/Field";
import { Notice } from "../../ui/State";
import styles from "./AccountScreen.module.css";

const LIFETIMES = [30, 90, 365];
const SCOPES = ["read", "label", "write", "admin"] as const;
type Scope = (typeof SCOPES)[number];

type NewTokenDialogProps = { onClose: () => void; onCreated: (token: TokenWithSecret) => void };

export function NewTokenDialog({ onClose, onCreated }: NewTokenDialogProps) {
  const [name, setName] = useState("");
  const [days, setDays] = useState("90");
  const [scope, setScope] = useState<Scope>("write");
  const client = useQueryClient();
  const create = useMutation({
    mutationFn: () => createToken({ name, scope, expires_in_days: days ? Number(days) : null }),
    onSuccess: (token) => {
      client.invalidateQueries({ queryKey: tokensQuery.queryKey });
      onCreated(token);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate();
  };
  return (
    <Dialog title={t.people.newToken} onClose={onClose}>
      <form className={styles.form} onSubmit={submit}>
        <TextField
          label={t.people.tokenName}
          hint={t.people.tokenNameHint}
          required
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <SelectField
          label={t.people.scope}
          hint={t.people.scopeHints[scope]}
          value={scope}
          onChange={(event) => setScope(event.target.value as Scope)}
        >
          {SCOPES.map((one) => (
            <option key={one} value={one}>
              {t.people.scopes[one]}
            </option>
          ))}
        </SelectField>
        <SelectField
          label={t.people.expires}
          value={days}
          onChange={(event) => setDays(event.target.value)}
        >
          {LIFETIMES.map((count) => (
            <option key={count} value={count}>
              {t.people.expiresIn(count)}
            </option>
          ))}
          <option value="">{t.people.expiresNever}</option>
        </SelectField>
        {create.error && <Notice tone="bad">{create.error.message}</Notice>}
        <DialogActions>
          <Button onClick={onClose}>{t.common.cancel}</Button>
          <Button type="submit" kind="primary" busy={create.isPending}>
            {t.people.createToken}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
