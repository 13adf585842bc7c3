import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { createToken, tokensQuery } from "../../api/auth";
import { ApiError } from "../../api/errors";
import { everyProjectQuery } from "../../api/projects";
import type { TokenWithSecret } from "../../api/types";
import { t } from "../../strings";
import { Button } from "../../ui/Button";
import { Dialog, DialogActions } from "../../ui/Dialog";
import { SelectField, TextField } from "../../ui/Field";
import { Said } from "../../ui/Said";
import { Notice } from "../../ui/State";
import styles from "./AccountScreen.module.css";
import { lifetimes } from "./lifetimes";

const SCOPES = ["read", "label", "write", "admin"] as const;
type Scope = (typeof SCOPES)[number];

type NewTokenDialogProps = {
  /** How long a token is good for where nothing else is said. */
  days: number;
  /** How long at most; any time if null. */
  most: number | null;
  onClose: () => void;
  onCreated: (token: TokenWithSecret) => void;
};

export function NewTokenDialog({ days: usual, most, onClose, onCreated }: NewTokenDialogProps) {
  const [name, setName] = useState("");
  const [days, setDays] = useState(String(usual));
  const [scope, setScope] = useState<Scope>("write");
  const [project, setProject] = useState("");
  const projects = useQuery(everyProjectQuery);
  const client = useQueryClient();
  const create = useMutation({
    mutationFn: () =>
      createToken({
        name,
        scope,
        expires_in_days: days ? Number(days) : null,
        project_id: project ? Number(project) : null,
      }),
    onSuccess: (token) => {
      client.invalidateQueries({ queryKey: tokensQuery.queryKey });
      onCreated(token);
    },
  });
  const isTooLong = create.error instanceof ApiError && create.error.code === "token_too_long";
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
          maxLength={100}
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
          label={t.people.opens}
          hint={project ? t.people.opensOneHint : t.people.opensAllHint}
          value={project}
          onChange={(event) => setProject(event.target.value)}
        >
          <option value="">{t.people.opensAll}</option>
          {projects.data?.items.map((one) => (
            <option key={one.id} value={one.id}>
              {one.name}
            </option>
          ))}
        </SelectField>
        <SelectField
          label={t.people.expires}
          value={days}
          onChange={(event) => setDays(event.target.value)}
        >
          {lifetimes(usual, most).map((count) => (
            <option key={count} value={count}>
              {t.people.expiresIn(count)}
            </option>
          ))}
          {most === null && <option value="">{t.people.expiresNever}</option>}
        </SelectField>
        {create.error && (
          <Notice tone="bad">
            {isTooLong ? t.people.expiresTooLong : <Said>{create.error}</Said>}
          </Notice>
        )}
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
