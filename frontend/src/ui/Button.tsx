import type { ComponentProps, MouseEvent, ReactNode } from "react";
import { Link, type LinkProps } from "react-router";
import styles from "./Button.module.css";
import { useManages } from "./managing";

type Look = {
  kind?: "primary" | "secondary" | "quiet" | "danger";
  size?: "small" | "medium" | "large";
  /** Only for those who may change what the page shows: others do not see it. */
  manages?: boolean;
};

const classOf = ({ kind = "secondary", size = "medium" }: Look, extra = "") =>
  `${styles.button} ${styles[kind]} ${styles[size]} ${extra}`;

/** Neither here nor around it, nor is a form sent. */
function doNothing(event: MouseEvent): void {
  event.preventDefault();
  event.stopPropagation();
}

type ButtonProps = ComponentProps<"button"> & Look & { busy?: boolean; children: ReactNode };

export function Button(props: ButtonProps) {
  const { kind, size, busy, disabled, className, manages = false, onClick, ...rest } = props;
  const may = useManages();
  if (manages && !may) return null;
  return (
    <button
      type="button"
      {...rest}
      className={classOf({ ...(kind && { kind }), ...(size && { size }) }, className)}
      data-kind={kind}
      // Not while it is busy: the browser would take the focus from it for good.
      disabled={disabled && !busy}
      aria-disabled={busy || undefined}
      aria-busy={busy || undefined}
      onClick={busy ? doNothing : onClick}
    />
  );
}

export function ButtonLink({ kind, size, className, manages, ...rest }: LinkProps & Look) {
  const may = useManages();
  if (manages && !may) return null;
  return (
    <Link
      {...rest}
      className={classOf({ ...(kind && { kind }), ...(size && { size }) }, className)}
    />
  );
}
