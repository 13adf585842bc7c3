import type { Round, Settings } from "../../api/types";
import { t } from "../../strings";
import { Card } from "../../ui/Card";
import { Chart } from "../../ui/Chart";
import { formatCost, formatPercent } from "../../ui/format";
import styles from "./OverviewScreen.module.css";

const percent = (value: number): string => `${Math.round(100 * value)} %`;

export function Curves({ rounds, cost }: { rounds: Round[]; cost: Settings["cost"] | null }) {
  const { curves } = t.overview;
  const done = rounds.filter((round) => round.state === "closed" || round.state === "closing");
  const accuracy = done.flatMap(({ number: x, accuracy: y }) => (y === null ? [] : [{ x, y }]));
  const share = done.flatMap(({ number: x, in_share: y }) => (y === null ? [] : [{ x, y }]));
  // Round 0 is drawn at random, so its share of IN estimates the pool's.
  const pool = share.find(({ x }) => x === 0)?.y ?? null;
  return (
    <Card>
      <div className={styles.curves}>
        <Chart
          title={curves.accuracy}
          hint={curves.accuracyHint}
          summary={summaryOf(accuracy, done.length > 0 ? curves.noAccuracy : curves.empty)}
          format={percent}
          line={accuracy}
          xLabel={curves.round}
        />
        <Chart
          title={curves.share}
          hint={curves.shareHint}
          summary={summaryOf(share, curves.empty)}
          format={percent}
          line={share}
          range={[0, 1]}
          reference={pool === null ? null : { value: pool, label: curves.poolShare }}
          xLabel={curves.round}
        />
        <Chart
          title={curves.cost}
          hint={curves.costHint}
          summary={done.length > 0 ? curves.costHint : curves.empty}
          format={formatCost}
          bars={done.map((round) => ({ x: round.number, parts: costParts(round, cost) }))}
          xLabel={curves.round}
        />
      </div>
    </Card>
  );
}

function summaryOf(points: { x: number; y: number }[], empty: string): string {
  const last = points.at(-1);
  return last ? `${t.overview.curves.round(last.x)}: ${formatPercent(last.y)}` : empty;
}

/** What a round spent, split between OOD and the rest where the prices tell. */
function costParts({ spent, answered }: Round, cost: Settings["cost"] | null) {
  const ood = cost?.mode === "fixed" ? Math.min(spent, answered.ood * cost.c_ood) : 0;
  return [
    { value: spent - ood, tone: "in" as const },
    { value: ood, tone: "ood" as const },
  ];
}
