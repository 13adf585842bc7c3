import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { login, meQuery, methodsQuery } from "../../api/auth";
import { ApiError } from "../../api/errors";
import type { Me } from "../../api/types";
import { t } from "../../strings";
import { Button } from "../../ui/Button";
import { TextField } from "../../ui/Field";
import { Said } from "../../ui/Said";
import { Failure, Notice } from "../../ui/State";
import { CodeStep } from "./CodeStep";
import styles from "./LoginForm.module.css";
import { SingleSignOn } from "./SingleSignOn";

type LoginFormProps = {
  email?: string;
  /** The page to come back to from the provider of single sign-on. */
  next: string;
  /** Whether to ask for a password though single sign-on is the only way: for an admin from the server. */
  withPassword?: boolean;
  onDone: (user: Me) => void;
};

/** Signs in, by single sign-on or by password, with a code where there is a second factor. */
export function LoginForm({ email: known = "", next, withPassword, onDone }: LoginFormProps) {
  const [email, setEmail] = useState(known);
  const [password, setPassword] = useState("");
  const client = useQueryClient();
  const methods = useQuery(methodsQuery);
  const signIn = useMutation({
    mutationFn: (code: string | null) => login(email, password, code),
    onSuccess: (user) => {
      client.setQueryData(meQuery.queryKey, user);
      onDone(user);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    signIn.mutate(null);
  };
  if (methods.error && !methods.data)
    return <Failure error={methods.error} onRetry={() => methods.refetch()} />;
  if (!methods.data) return null;
  const code = codeOf(signIn.error);
  const { variables } = signIn;
  if (code === "code_required" || code === "wrong_code" || variables)
    return (
      <CodeStep
        busy={signIn.isPending}
        error={code === "code_required" ? null : signIn.error}
        onCode={(typed) => signIn.mutate(typed)}
        onBack={() => {
          setPassword("");
          signIn.reset();
        }}
      />
    );
  const single = methods.data.single_sign_on;
  const asksPassword = methods.data.passwords || withPassword;
  return (
    <div className={styles.form}>
      {single && <SingleSignOn name={single.name} next={next} />}
      {single && asksPassword && <div className={styles.or}>{t.signIn.or}</div>}
      {asksPassword && (
        <form className={styles.form} onSubmit={submit}>
          <TextField
            label={t.people.email}
            type="email"
            autoComplete="username"
            required
            autoFocus={!known && !single}
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
          {signIn.error && (
            <Notice tone="bad">
              {code === "bad_credentials" ? t.people.badCredentials : <Said>{signIn.error}</Said>}
            </Notice>
          )}
          <Button
            type="submit"
            kind={single ? "secondary" : "primary"}
            size="large"
            busy={signIn.isPending}
          >
            {signIn.isPending ? t.people.signingIn : t.people.signIn}
          </Button>
        </form>
      )}
    </div>
  );
}

const codeOf = (error: Error | null): string | null =>
  error instanceof ApiError ? error.code : null;
