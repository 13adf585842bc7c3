import { useRef } from "react";
import { t } from "../../strings";
import { isElsewhere } from "../../ui/hotkeys";
import { Kbd } from "../../ui/Kbd";
import { useKeyDown } from "../../ui/useKeyDown";
import styles from "./TextSearch.module.css";
import { useTyped } from "./useTyped";

const KEY = "/";

type TextSearchProps = { value: string; onChange: (value: string) => void };

/** Looks for words in all texts; what is typed is looked for once the typing pauses. */
export function TextSearch({ value, onChange }: TextSearchProps) {
  const typed = useTyped(value, onChange);
  const input = useRef<HTMLInputElement>(null);
  useKeyDown((event) => {
    if (event.key !== KEY || isElsewhere(event) || event.defaultPrevented) return;
    event.preventDefault();
    input.current?.focus();
    input.current?.select();
  });
  return (
    <search className={styles.search}>
      <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
        <circle cx="7" cy="7" r="4.5" />
        <path d="m10.5 10.5 3.5 3.5" />
      </svg>
      <input
        ref={input}
        type="search"
        aria-label={t.pool.search.label}
        aria-keyshortcuts={KEY}
        placeholder={t.pool.search.placeholder}
        title={t.pool.search.hint}
        autoComplete="off"
        maxLength={200}
        dir="auto"
        value={typed.value}
        onChange={(event) => typed.set(event.target.value)}
        onBlur={typed.leave}
        onKeyDown={(event) => {
          if (event.key === "Enter") typed.leave();
        }}
      />
      <Kbd decorative>{KEY}</Kbd>
    </search>
  );
}
