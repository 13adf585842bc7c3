import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { estimateQuery } from "../api/reviews";
import type { ReviewEstimate as Estimate } from "../api/types";
import { t } from "../strings";
import { formatWholePercent } from "./format";
import styles from "./ReviewEstimate.module.css";
import { FEWEST, percentsOf } from "./shares";

const { estimate: text } = t.review;
/** With fewer decisions the server names no interval. */

type ReviewEstimateProps = {
  projectId: number;
  jobId: number;
  /** How many suggestions are decided, by what the page knows: it is asked anew when that changes. */
  done: number;
  /** Where there is little room, the advice alone is shown on a narrow screen. */
  brief?: boolean;
};

/** What the decisions so far say: how often the job was right, what is left, and when to stop. */
export function ReviewEstimate({ projectId, jobId, done, brief }: ReviewEstimateProps) {
  const { data } = useQuery({
    ...estimateQuery(projectId, jobId, done),
    placeholderData: keepPreviousData,
  });
  if (!data) return null;
  return (
    <section className={styles.estimate} aria-label={text.title} data-brief={brief || undefined}>
      {linesOf(data).map((line) => (
        <p key={line}>{line}</p>
      ))}
      {adviceOf(data) && (
        <p className={styles.advice} data-stop={data.advice === "stop" || undefined}>
          {adviceOf(data)}
        </p>
      )}
    </section>
  );
}

function linesOf({ decided, wrong, right, remaining, audit, ...found }: Estimate): string[] {
  const { precision, class_precision: classes } = found;
  const lines = [];
  if (precision && classes) {
    const [share, low, high] = percentsOf(precision.share, precision.low, precision.high);
    lines.push(text.precision(wrong, decided, share, low, high));
    lines.push(text.classes(right, formatWholePercent(classes.share)));
  } else if (remaining.open > 0 && decided + remaining.open >= FEWEST) {
    lines.push(text.tooFew(decided, FEWEST));
  }
  if (remaining.open > 0)
    lines.push(text.left(remaining.open, Math.round(remaining.expected_wrong)));
  if (audit?.error_left) {
    const { error_left: left } = audit;
    const [share, low, high] = percentsOf(left.share, left.low, left.high);
    lines.push(text.audit.found(audit.wrong, audit.decided, audit.decided + audit.open));
    lines.push(text.audit.left(audit.labels, share, low, high));
  } else if (audit) lines.push(text.audit.waiting(audit.size));
  return lines;
}

function adviceOf({ advice, share, remaining: { next_wrong: next } }: Estimate): string | null {
  if (next === null) return null;
  if (advice === "go_on") return text.goOn(formatWholePercent(next));
  if (advice === "stop") return text.stop(formatWholePercent(next), formatWholePercent(share));
  return null;
}
