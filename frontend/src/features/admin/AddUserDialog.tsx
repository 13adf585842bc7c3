import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { createUser, type NewUser, usersQuery } from "../../api/auth";
import type { Role } from "../../api/types";
import { t } from "../../strings";
import { Button } from "../../ui/Button";
import { Dialog, DialogActions } from "../../ui/Dialog";
import { ErrorNotice } from "../../ui/ErrorNotice";
import { SelectField, TextField } from "../../ui/Field";
import styles from "./AddUserDialog.module.css";

const EMPTY: NewUser = { email: "", name: "", role: "annotator", password: "" };

export function AddUserDialog({ onClose }: { onClose: () => void }) {
  const [user, setUser] = useState<NewUser>(EMPTY);
  const client = useQueryClient();
  const add = useMutation({
    mutationFn: () => createUser(user),
    onSuccess: () => {
      client.invalidateQueries({ queryKey: usersQuery.queryKey });
      onClose();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    add.mutate();
  };
  const bind = (field: "email" | "name" | "password") => ({
    required: true,
    value: user[field],
    onChange: (event: { target: HTMLInputElement }) =>
      setUser({ ...user, [field]: event.target.value }),
  });
  return (
    <Dialog title={t.people.addUser} onClose={onClose}>
      <form className={styles.form} onSubmit={submit}>
        <TextField label={t.people.name} autoComplete="off" maxLength={100} {...bind("name")} />
        <TextField
          label={t.people.email}
          type="email"
          autoComplete="off"
          maxLength={254}
          {...bind("email")}
        />
        <SelectField
          label={t.people.role}
          hint={t.people.roleHints[user.role]}
          value={user.role}
          onChange={(event) => setUser({ ...user, role: event.target.value as Role })}
        >
          {Object.entries(t.people.roles).map(([role, name]) => (
            <option key={role} value={role}>
              {name}
            </option>
          ))}
        </SelectField>
        <TextField
          label={t.people.initialPassword}
          hint={t.people.initialPasswordHint}
          type="password"
          autoComplete="new-password"
          minLength={10}
          {...bind("password")}
        />
        <ErrorNotice error={add.error} />
        <DialogActions>
          <Button onClick={onClose}>{t.common.cancel}</Button>
          <Button type="submit" kind="primary" busy={add.isPending}>
            {t.people.addUser}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
