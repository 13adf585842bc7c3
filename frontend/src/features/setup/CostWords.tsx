import type { Project, Settings } from "../../api/types";
import { t } from "../../strings";
import { managerWordsOf } from "../../tasks/managerWords";
import { formatSeconds } from "../../ui/format";
import styles from "./SetupScreen.module.css";

type CostWordsProps = { project: Pick<Project, "task" | "counts">; settings: Settings };

/** What a round's budget comes to, in words. */
export function CostWords({ project: { task, counts }, settings }: CostWordsProps) {
  const { budget, cost, overlap } = settings;
  if (cost.mode === "seconds") {
    return <p className={styles.quiet}>{t.setup.paysForTime(formatSeconds(budget))}</p>;
  }
  const { c_in, c_ood } = cost;
  const { paysFor } = managerWordsOf({ task }).setup();
  // A verdict is taken as long as something of the budget is left.
  const verdicts = (price: number) => Math.ceil(budget / price - 1e-9);
  const dearest = Math.max(c_in, c_ood);
  const images = Math.ceil(verdicts(dearest) / overlap);
  // What a third of the pool costs.
  const fewer = (counts.pool * overlap * dearest) / 3;
  return (
    <p className={styles.quiet} aria-live="polite">
      {c_in === c_ood
        ? t.setup.paysForSame(verdicts(c_in))
        : paysFor(verdicts(c_in), verdicts(c_ood))}{" "}
      {overlap > 1 && t.setup.paysForImages(overlap, images)}{" "}
      {counts.pool > 1 && images >= counts.pool && (
        <strong>{t.setup.paysForPool(counts.pool, Number(fewer.toPrecision(2)))}</strong>
      )}
    </p>
  );
}
