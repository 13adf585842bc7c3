import type { ComponentProps, ReactNode } from "react";
import { Link, type LinkProps } from "react-router";
import styles from "./Button.module.css";

type Look = {
  kind?: "primary" | "secondary" | "quiet" | "danger";
  size?: "small" | "medium" | "large";
};

const classOf = ({ kind = "secondary", size = "medium" }: Look, extra = "") =>
  `${styles.button} ${styles[kind]} ${styles[size]} ${extra}`;

type ButtonProps = ComponentProps<"button"> & Look & { busy?: boolean; children: ReactNode };

export function Button({ kind, size, busy, disabled, className, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      className={classOf({ ...(kind && { kind }), ...(size && { size }) }, className)}
      disabled={disabled || busy}
      aria-busy={busy || undefined}
    />
  );
}

export function ButtonLink({ kind, size, className, ...rest }: LinkProps & Look) {
  return (
    <Link
      {...rest}
      className={classOf({ ...(kind && { kind }), ...(size && { size }) }, className)}
    />
  );
}
