import type { PruneResult } from "../../api/results";
import { t } from "../../strings";
import { Card } from "../../ui/Card";
import { Chart } from "../../ui/Chart";
import { Figures } from "../../ui/Figures";
import { formatCost } from "../../ui/format";
import styles from "./JobsScreen.module.css";
import { reachedOf } from "./objective";

const { subset: text } = t.jobs;

/** What a method has maximised, and how close to the best that is; nothing for one that has not. */
export function ObjectiveCard({ result }: { result: PruneResult }) {
  const reached = reachedOf(result);
  if (!reached) return null;
  return (
    <Card>
      <div className={styles.objective}>
        <Chart
          title={text.objective}
          hint={text.objectiveHint}
          summary={text.noObjective}
          format={formatCost}
          line={result.objective.map(([x, y]) => ({ x, y }))}
          xLabel={text.chosen}
        />
        <div className={styles.side}>
          <Figures figures={reached.figures} />
          {reached.meaning && <p className={styles.hint}>{reached.meaning}</p>}
        </div>
      </div>
    </Card>
  );
}
