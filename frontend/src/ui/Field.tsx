import { type ComponentProps, type ReactNode, useId } from "react";
import styles from "./Field.module.css";
import { Said } from "./Said";

type FieldProps = {
  label: string;
  hint?: ReactNode;
  /** What is wrong with what was typed, or what the server said of it. */
  error?: string | Error | null | undefined;
  hideLabel?: boolean;
  children: (control: {
    id: string;
    "aria-describedby": string | undefined;
    "aria-invalid": true | undefined;
  }) => ReactNode;
};

/** A label, a control, and what to know about it. */
export function Field({ label, hint, error, hideLabel, children }: FieldProps) {
  const id = useId();
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(" ");
  return (
    <div className={styles.field}>
      <label htmlFor={id} className={hideLabel ? "visually-hidden" : styles.label}>
        {label}
      </label>
      {children({
        id,
        "aria-describedby": described || undefined,
        "aria-invalid": error ? true : undefined,
      })}
      {hint && (
        <div id={`${id}-hint`} className={styles.hint}>
          {hint}
        </div>
      )}
      {error && (
        <div id={`${id}-error`} className={styles.error}>
          {error instanceof Error ? <Said>{error}</Said> : error}
        </div>
      )}
    </div>
  );
}

type Common = Omit<FieldProps, "children">;

export function TextField({
  label,
  hint,
  error,
  hideLabel,
  className,
  ...input
}: Common & ComponentProps<"input">) {
  return (
    <Field label={label} hint={hint} error={error} hideLabel={hideLabel ?? false}>
      {(control) => (
        <input {...control} {...input} className={`${styles.control} ${className ?? ""}`} />
      )}
    </Field>
  );
}

export function TextArea({
  label,
  hint,
  error,
  hideLabel,
  ...input
}: Common & ComponentProps<"textarea">) {
  return (
    <Field label={label} hint={hint} error={error} hideLabel={hideLabel ?? false}>
      {(control) => <textarea {...control} {...input} className={styles.control} />}
    </Field>
  );
}

export function SelectField({
  label,
  hint,
  error,
  hideLabel,
  ...input
}: Common & ComponentProps<"select">) {
  return (
    <Field label={label} hint={hint} error={error} hideLabel={hideLabel ?? false}>
      {(control) => (
        <select {...control} {...input} className={`${styles.control} ${styles.select}`} />
      )}
    </Field>
  );
}

export function CheckField({ label, hint, error: _, ...input }: Common & ComponentProps<"input">) {
  const id = useId();
  return (
    <div className={styles.check}>
      <input
        {...input}
        id={id}
        type="checkbox"
        aria-describedby={hint ? `${id}-hint` : undefined}
      />
      <div>
        <label htmlFor={id}>{label}</label>
        {hint && (
          <div id={`${id}-hint`} className={styles.hint}>
            {hint}
          </div>
        )}
      </div>
    </div>
  );
}
