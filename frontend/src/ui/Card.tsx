import { type ReactNode, useId } from "react";
import styles from "./Card.module.css";

type CardProps = {
  title?: string;
  hint?: ReactNode;
  actions?: ReactNode;
  children?: ReactNode;
  id?: string;
};

/** A titled section on a surface of its own. */
export function Card({ title, hint, actions, children, id }: CardProps) {
  const titleId = useId();
  return (
    <section className={styles.card} id={id} aria-labelledby={title ? titleId : undefined}>
      {title && (
        <header className={styles.header}>
          <div>
            <h2 id={titleId}>{title}</h2>
            {hint && <p className={styles.hint}>{hint}</p>}
          </div>
          {actions && <div className={styles.actions}>{actions}</div>}
        </header>
      )}
      {children}
    </section>
  );
}
