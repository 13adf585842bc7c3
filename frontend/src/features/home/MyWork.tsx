import type { Home } from "../../api/types";
import { t } from "../../strings";
import { Card } from "../../ui/Card";
import { formatCount, formatDate, formatPercent, formatSeconds } from "../../ui/format";
import { DayBars } from "./DayBars";
import { KeysCard } from "./KeysCard";
import styles from "./MyWork.module.css";

const { home: text } = t;
const ROWS = ["in_ood", "classes", "reviews"] as const;

/** How the user does: their pace, their agreement with others, and the keys. */
export default function MyWork({ home: { pace, agreement } }: { home: Home }) {
  const { days } = pace;
  const today = days.at(-1);
  const total = days.reduce((sum, day) => sum + day.verdicts, 0);
  const seconds = days.reduce((sum, day) => sum + day.seconds, 0);
  const compared = ROWS.filter((row) => agreement[row].compared > 0);
  return (
    <div className={styles.page}>
      <Card title={text.work} hint={text.workHint}>
        {total === 0 || !today ? (
          <p className={styles.quiet}>{text.nothingYet}</p>
        ) : (
          <>
            <dl className={styles.figures}>
              <Figure name={text.today} value={formatCount(today.verdicts)}>
                {text.unit(today.verdicts)}
              </Figure>
              <Figure
                name={text.perVerdict}
                value={today.verdicts > 0 ? formatSeconds(today.seconds / today.verdicts) : "–"}
              >
                {text.perVerdictHint(formatSeconds(seconds / total))}
              </Figure>
              <Figure name={text.twoWeeks} value={formatCount(total)}>
                {text.unit(total)}
              </Figure>
            </dl>
            <DayBars days={days} />
          </>
        )}
        {days[0] && pace.since > days[0].date && (
          <p className={styles.quiet}>{text.since(formatDate(`${pace.since}T00:00`))}</p>
        )}
      </Card>
      <div className={styles.side}>
        <Card title={text.agreement}>
          {compared.length === 0 ? (
            <p className={styles.quiet}>{text.agreementNone}</p>
          ) : (
            <dl className={styles.agreement}>
              {compared.map((row) => (
                <div key={row}>
                  <dt>{text.agreementRows[row].title}</dt>
                  <dd>
                    <strong>{formatPercent(agreement[row].same / agreement[row].compared)}</strong>
                    <span>{text.of(agreement[row].compared, text.agreementRows[row].of)}</span>
                  </dd>
                </div>
              ))}
            </dl>
          )}
        </Card>
        <KeysCard />
      </div>
    </div>
  );
}

type FigureProps = { name: string; value: string; children: string };

function Figure({ name, value, children }: FigureProps) {
  return (
    <div>
      <dt>{name}</dt>
      <dd className={styles.value}>{value}</dd>
      <dd>{children}</dd>
    </div>
  );
}
