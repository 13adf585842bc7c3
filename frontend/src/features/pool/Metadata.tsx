import type { ExampleDetail } from "../../api/types";
import { t } from "../../strings";
import styles from "./DetailPanel.module.css";
import { Fact } from "./Facts";

/** What came with an image besides itself. */
export function Metadata({ of }: { of: ExampleDetail }) {
  const metadata = Object.entries(of.meta);
  if (metadata.length === 0) return null;
  return (
    <section>
      <h3>{t.pool.detail.metadata}</h3>
      <dl className={styles.facts}>
        {metadata.map(([name, value]) => (
          <Fact key={name} name={name}>
            {typeof value === "string" ? value : JSON.stringify(value)}
          </Fact>
        ))}
      </dl>
    </section>
  );
}
