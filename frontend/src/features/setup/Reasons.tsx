import { t } from "../../strings";
import { useSaid } from "../../ui/titled";
import styles from "./ImagesCard.module.css";

/** Why something does not come in, the most frequent reason first; nothing where there is none. */
export function Reasons({ title, reasons }: { title: string; reasons: Record<string, number> }) {
  const said = useSaid();
  const found = Object.entries(reasons).sort((one, other) => other[1] - one[1]);
  if (found.length === 0) return null;
  return (
    <details className={styles.report}>
      <summary>{title}</summary>
      <ul className={styles.reasons}>
        {found.map(([reason, count]) => (
          <li key={reason}>{t.setup.plan.bad(count, said(reason))}</li>
        ))}
      </ul>
    </details>
  );
}
