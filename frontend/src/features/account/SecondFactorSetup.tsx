import { useMutation } from "@tanstack/react-query";
import { type ComponentProps, type FormEvent, useState } from "react";
import { ApiError } from "../../api/errors";
import { beginSecondFactor, confirmSecondFactor } from "../../api/secondFactor";
import type { NewSecondFactor } from "../../api/types";
import { t } from "../../strings";
import { Button } from "../../ui/Button";
import { ErrorNotice } from "../../ui/ErrorNotice";
import { TextField } from "../../ui/Field";
import { QrCode } from "../../ui/QrCode";
import { RecoveryCodes } from "./RecoveryCodes";
import styles from "./SecondFactor.module.css";

const { factor: text } = t.signIn;

type SecondFactorSetupProps = {
  /** Missing where there has to be one. */
  onCancel?: () => void;
  /** It is there, and its recovery codes are shown. */
  onCodes?: () => void;
  onDone: () => void;
};

/** From the present password by the app's first code to the recovery codes. */
export function SecondFactorSetup({ onCancel, onCodes, onDone }: SecondFactorSetupProps) {
  const begin = useMutation({ mutationFn: beginSecondFactor });
  const confirm = useMutation({ mutationFn: confirmSecondFactor, onSuccess: () => onCodes?.() });
  if (confirm.data) return <RecoveryCodes codes={confirm.data.recovery_codes} onDone={onDone} />;
  if (begin.data)
    return (
      <Scan
        made={begin.data}
        busy={confirm.isPending}
        error={confirm.error}
        onCode={(code) => confirm.mutate(code)}
        onCancel={onCancel}
      />
    );
  return (
    <Ask
      label={t.people.oldPassword}
      intro={text.startText}
      action={text.start}
      busy={begin.isPending}
      error={begin.error}
      field={{ type: "password", autoComplete: "current-password" }}
      onTyped={(password) => begin.mutate(password)}
      onCancel={onCancel}
    />
  );
}

type ScanProps = {
  made: NewSecondFactor;
  busy: boolean;
  error: Error | null;
  onCode: (code: string) => void;
  onCancel: (() => void) | undefined;
};

function Scan({ made, busy, error, onCode, onCancel }: ScanProps) {
  return (
    <div className={styles.steps}>
      <div className={styles.scan}>
        <p>{text.scan}</p>
        <QrCode rows={made.qr} name={text.picture} />
        <p>
          {text.type}: <span className={styles.key}>{made.secret.match(/.{1,4}/g)?.join(" ")}</span>
        </p>
      </div>
      <Ask
        label={text.appCode}
        action={text.confirm}
        busy={busy}
        error={error}
        field={{ inputMode: "numeric", autoComplete: "one-time-code", maxLength: 7 }}
        onTyped={onCode}
        onCancel={onCancel}
      />
    </div>
  );
}

type AskProps = {
  label: string;
  intro?: string;
  action: string;
  busy: boolean;
  error: Error | null;
  field: ComponentProps<"input">;
  onTyped: (value: string) => void;
  onCancel: (() => void) | undefined;
};

/** One field and what it is for. */
function Ask({ label, intro, action, busy, error, field, onTyped, onCancel }: AskProps) {
  const [value, setValue] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onTyped(value);
  };
  const isOfField = error instanceof ApiError && error.field !== null;
  return (
    <form className={styles.steps} onSubmit={submit}>
      {intro && <p>{intro}</p>}
      <div className={styles.field}>
        <TextField
          {...field}
          label={label}
          required
          data-autofocus
          error={isOfField ? error : null}
          value={value}
          onChange={(event) => setValue(event.target.value)}
        />
      </div>
      {!isOfField && <ErrorNotice error={error} />}
      <div className={styles.actions}>
        {onCancel && <Button onClick={onCancel}>{t.common.cancel}</Button>}
        <Button type="submit" kind="primary" busy={busy}>
          {action}
        </Button>
      </div>
    </form>
  );
}
