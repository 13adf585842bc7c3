import type { Settings } from "../../api/types";
import { t } from "../../strings";
import { Card } from "../../ui/Card";
import { NumberField } from "../../ui/NumberField";
import styles from "./SetupScreen.module.css";

type RankingCardProps = { settings: Settings; onChange: (settings: Settings) => void };

/** How people are asked in projects in which nothing is trained. */
export function RankingCard({ settings, onChange }: RankingCardProps) {
  const { ranking } = t.setup;
  return (
    <Card title={ranking.people} hint={ranking.peopleHint} id="method">
      <div className={styles.params}>
        <NumberField
          label={t.setup.overlap}
          hint={ranking.overlapHint}
          value={settings.overlap}
          integer
          min={1}
          max={20}
          onChange={(overlap) => overlap !== null && onChange({ ...settings, overlap })}
        />
        <NumberField
          label={t.setup.leaseSeconds}
          hint={t.setup.leaseSecondsHint}
          value={settings.lease_seconds}
          integer
          min={1}
          max={86_400}
          onChange={(seconds) =>
            seconds !== null && onChange({ ...settings, lease_seconds: seconds })
          }
        />
      </div>
    </Card>
  );
}
