import { type FormEvent, useState } from "react";
import { ApiError } from "../../api/errors";
import { t } from "../../strings";
import { Button } from "../../ui/Button";
import { TextField } from "../../ui/Field";
import { Said } from "../../ui/Said";
import { Notice } from "../../ui/State";
import styles from "./LoginForm.module.css";

type CodeStepProps = {
  busy: boolean;
  error: Error | null;
  onCode: (code: string) => void;
  onBack: () => void;
};

/** Asks for the second factor, after the password was right. */
export function CodeStep({ busy, error, onCode, onBack }: CodeStepProps) {
  const [code, setCode] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onCode(code);
    setCode("");
  };
  const reason = error instanceof ApiError ? error.code : null;
  const isWrong = reason === "wrong_code";
  return (
    <form className={styles.form} onSubmit={submit}>
      <div className={styles.step}>
        <h2>{t.signIn.codeTitle}</h2>
        <p>{t.signIn.codeText}</p>
      </div>
      <TextField
        label={t.signIn.code}
        hint={t.signIn.codeHint}
        error={isWrong ? t.signIn.wrongCode : null}
        autoComplete="one-time-code"
        autoCapitalize="none"
        spellCheck={false}
        required
        autoFocus
        data-autofocus
        value={code}
        onChange={(event) => setCode(event.target.value)}
      />
      {error && !isWrong && (
        <Notice tone="bad">
          {reason === "codes_used_up" ? t.signIn.codesUsedUp : <Said>{error}</Said>}
        </Notice>
      )}
      <Button type="submit" kind="primary" size="large" busy={busy}>
        {busy ? t.people.signingIn : t.people.signIn}
      </Button>
      <Button kind="quiet" onClick={onBack}>
        {t.signIn.otherAccount}
      </Button>
    </form>
  );
}
