import { useState } from "react";
import type { Home } from "../../api/types";
import { t } from "../../strings";
import { locale } from "../../strings/language";
import { formatSeconds } from "../../ui/format";
import styles from "./MyWork.module.css";

const { home: text } = t;
const dayFormat = new Intl.DateTimeFormat(locale, { weekday: "short", day: "numeric" });
const longFormat = new Intl.DateTimeFormat(locale, {
  weekday: "long",
  day: "numeric",
  month: "long",
});

type Day = Home["pace"]["days"][number];

/** The server says the day alone; without a time it would be read as midnight in UTC. */
const dateOf = (day: Day): Date => new Date(`${day.date}T00:00`);

const said = (day: Day): string =>
  text.day(
    longFormat.format(dateOf(day)),
    day.verdicts,
    day.verdicts > 0 ? formatSeconds(day.seconds / day.verdicts) : "",
  );

/** A bar for each day; the same figures in words for those who do not see it. */
export function DayBars({ days }: { days: Day[] }) {
  const [hovered, setHovered] = useState<Day | null>(null);
  const best = Math.max(...days.map((day) => day.verdicts), 1);
  const total = days.reduce((sum, day) => sum + day.verdicts, 0);
  return (
    <figure className={styles.chart}>
      <figcaption>
        <h3>{text.chart}</h3>
        <p className={styles.quiet}>{hovered ? said(hovered) : text.chartSummary(total, best)}</p>
      </figcaption>
      <ol className={styles.days}>
        {days.map((day, index) => (
          <li
            key={day.date}
            onPointerEnter={() => setHovered(day)}
            onPointerLeave={() => setHovered(null)}
          >
            <span className="visually-hidden">{said(day)}</span>
            <span className={styles.bar} aria-hidden="true">
              <span style={{ height: `${(100 * day.verdicts) / best}%` }} />
            </span>
            <span
              className={styles.day}
              aria-hidden="true"
              data-every={(days.length - 1 - index) % 3 === 0 || undefined}
            >
              {dayFormat.format(dateOf(day))}
            </span>
          </li>
        ))}
      </ol>
    </figure>
  );
}
