import { type ReactNode, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import { Button } from "./Button";
import styles from "./Menu.module.css";

/** How far a list stays from the edge of the window, in pixels. */
const EDGE = 8;

type MenuProps = {
  label: ReactNode;
  name?: string;
  kind?: "secondary" | "quiet";
  /** The side of the button at which the list is aligned. */
  align?: "start" | "end";
  children: ReactNode;
};

/** A button that opens a short list of links and actions. */
export function Menu({ label, name, kind = "secondary", align = "start", children }: MenuProps) {
  const [open, setOpen] = useState(false);
  const ref = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const focusButton = useCallback(() => ref.current?.querySelector("button")?.focus(), []);
  useLayoutEffect(() => {
    if (!open) return;
    // A button far to the right of a narrow window has a list that would lie outside of it.
    const stayInside = () => {
      if (!list.current) return;
      list.current.style.translate = "";
      const { left, right } = list.current.getBoundingClientRect();
      const over = Math.min(right + EDGE - document.documentElement.clientWidth, left - EDGE);
      if (over > 0) list.current.style.translate = `${-over}px`;
    };
    stayInside();
    window.addEventListener("resize", stayInside);
    // What comes later beside the button moves it.
    const observer = new ResizeObserver(stayInside);
    for (const one of [ref.current, ref.current?.parentElement]) if (one) observer.observe(one);
    return () => {
      window.removeEventListener("resize", stayInside);
      observer.disconnect();
    };
  }, [open]);
  useEffect(() => {
    if (!open) return;
    const onPointer = (event: PointerEvent) => {
      if (!ref.current?.contains(event.target as Node)) setOpen(false);
    };
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== "Escape") return;
      setOpen(false);
      focusButton();
    };
    document.addEventListener("pointerdown", onPointer);
    document.addEventListener("keydown", onKey);
    return () => {
      document.removeEventListener("pointerdown", onPointer);
      document.removeEventListener("keydown", onKey);
    };
  }, [open, focusButton]);
  const close = () => {
    // What has the focus in the list is gone with it.
    if (list.current?.contains(document.activeElement)) focusButton();
    setOpen(false);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: closes when the focus leaves; nothing to operate.
    <div
      ref={ref}
      className={styles.menu}
      onBlur={(event) => {
        if (event.relatedTarget && !event.currentTarget.contains(event.relatedTarget))
          setOpen(false);
      }}
    >
      <Button kind={kind} aria-expanded={open} aria-label={name} onClick={() => setOpen(!open)}>
        {label}
        <span className={styles.caret} aria-hidden="true" />
      </Button>
      {open && (
        // biome-ignore lint/a11y/noStaticElementInteractions: a choice inside bubbles up and closes the list.
        // biome-ignore lint/a11y/useKeyWithClickEvents: links and buttons turn keys into clicks.
        <div ref={list} className={`${styles.list} ${styles[align]}`} onClick={close}>
          {children}
        </div>
      )}
    </div>
  );
}
