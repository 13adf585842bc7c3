import type { Project, Round } from "../../api/types";
import { t } from "../../strings";
import { Card } from "../../ui/Card";
import { formatPercent } from "../../ui/format";
import { Meter } from "../../ui/Meter";
import styles from "./OverviewScreen.module.css";

/** The round that answers count towards now, and what the model is worth so far. */
export function RoundNow({ project, rounds }: { project: Project; rounds: Round[] }) {
  const current = project.current_round;
  const round = rounds.find((item) => item.number === current?.number);
  const accuracy = rounds.findLast((item) => item.accuracy !== null)?.accuracy ?? null;
  return (
    <Card
      title={current ? t.projects.round(current.number) : t.overview.now}
      hint={current ? t.overview.roundIs[current.state] : t.projects.states[project.state]}
    >
      {current && (
        <Meter
          label={t.overview.columns.spent}
          value={current.spent}
          max={current.budget}
          text={t.projects.spent(current.spent, current.budget)}
        />
      )}
      <dl className={styles.figures}>
        <div>
          <dt>{t.overview.columns.share}</dt>
          <dd>{formatPercent(round?.in_share ?? null)}</dd>
        </div>
        <div>
          <dt>{t.overview.latestAccuracy}</dt>
          <dd>{formatPercent(accuracy)}</dd>
        </div>
      </dl>
    </Card>
  );
}
