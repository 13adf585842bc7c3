import { type ReactNode, useId } from "react";
import styles from "./Card.module.css";
import { useFold } from "./useFold";

type FoldedCardProps = {
  title: string;
  hint: string;
  /** Links to it open it. */
  id: string;
  /** What it holds, beside its title, while nobody has opened it. */
  brief?: string | undefined;
  children: ReactNode;
};

/** A card that few need at first: its title alone until it is opened. */
export function FoldedCard({ title, hint, id, brief, children }: FoldedCardProps) {
  const titleId = useId();
  return (
    <section className={styles.card} id={id} aria-labelledby={titleId}>
      <details className={styles.fold} {...useFold(false, `#${id}`)}>
        <summary>
          <h2 id={titleId}>{title}</h2>
          {brief && <span className={styles.brief}>{brief}</span>}
        </summary>
        <div className={styles.folded}>
          <p className={styles.hint}>{hint}</p>
          {children}
        </div>
      </details>
    </section>
  );
}
