import { type InputHTMLAttributes, useRef } from "react";
import { isElsewhere } from "../../ui/hotkeys";
import { Kbd } from "../../ui/Kbd";
import { useKeyDown } from "../../ui/useKeyDown";
import styles from "./SearchField.module.css";

const KEY = "/";

type SearchFieldProps = InputHTMLAttributes<HTMLInputElement> & { label: string; hint: string };

/** A field above the pool for words; a key leads to it. */
export function SearchField({ label, hint, ...input }: SearchFieldProps) {
  const field = useRef<HTMLInputElement>(null);
  useKeyDown((event) => {
    if (event.key !== KEY || isElsewhere(event) || event.defaultPrevented) return;
    // Something else lies over the page.
    if (field.current?.closest("[inert]")) return;
    event.preventDefault();
    field.current?.focus();
    field.current?.select();
  });
  return (
    <search className={styles.search}>
      <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
        <circle cx="7" cy="7" r="4.5" />
        <path d="m10.5 10.5 3.5 3.5" />
      </svg>
      <input
        ref={field}
        type="search"
        aria-label={label}
        aria-keyshortcuts={KEY}
        title={hint}
        autoComplete="off"
        dir="auto"
        {...input}
      />
      <Kbd decorative>{KEY}</Kbd>
    </search>
  );
}
