import styles from "./Kbd.module.css";

type KbdProps = {
  children: string;
  /** On a button that says its key by `aria-keyshortcuts`, so that it is no part of the name. */
  decorative?: boolean;
};

export function Kbd({ children, decorative }: KbdProps) {
  return (
    <kbd className={styles.kbd} aria-hidden={decorative}>
      {children}
    </kbd>
  );
}
