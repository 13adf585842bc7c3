import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { login, meQuery } from "../../api/auth";
import { ApiError } from "../../api/errors";
import type { User } from "../../api/types";
import { t } from "../../strings";
import { Button } from "../../ui/Button";
import { TextField } from "../../ui/Field";
import { Notice } from "../../ui/State";
import styles from "./LoginForm.module.css";

export function LoginForm({
  email: known = "",
  onDone,
}: {
  email?: string;
  onDone: (user: User) => void;
}) {
  const [email, setEmail] = useState(known);
  const [password, setPassword] = useState("");
  const client = useQueryClient();
  const signIn = useMutation({
    mutationFn: () => login(email, password),
    onSuccess: (user) => {
      client.setQueryData(meQuery.queryKey, user);
      onDone(user);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    signIn.mutate();
  };
  return (
    <form className={styles.form} onSubmit={submit}>
      <TextField
        label={t.people.email}
        type="email"
        autoComplete="username"
        required
        autoFocus={!known}
        value={email}
        onChange={(event) => setEmail(event.target.value)}
      />
      <TextField
        label={t.people.password}
        type="password"
        autoComplete="current-password"
        required
        data-autofocus
        value={password}
        onChange={(event) => setPassword(event.target.value)}
      />
      {signIn.error && <Notice tone="bad">{messageOf(signIn.error)}</Notice>}
      <Button type="submit" kind="primary" size="large" busy={signIn.isPending}>
        {signIn.isPending ? t.people.signingIn : t.people.signIn}
      </Button>
    </form>
  );
}

const messageOf = (error: Error): string =>
  error instanceof ApiError && error.status === 401 ? t.people.badCredentials : error.message;
