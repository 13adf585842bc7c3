import type { LeaseItem } from "../../api/types";
import { t } from "../../strings";
import styles from "./ShownFields.module.css";

/** What came with an example, as far as its project shows it. */
export function ShownFields({ fields }: { fields: LeaseItem["fields"] | undefined }) {
  if (!fields?.length) return null;
  return (
    <dl className={styles.fields} aria-label={t.label.fields.name}>
      {fields.map(({ name, value }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd dir="auto">{String(value)}</dd>
        </div>
      ))}
    </dl>
  );
}
