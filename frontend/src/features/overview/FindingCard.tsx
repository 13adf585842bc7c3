import type { Outlook, Reason } from "../../api/types";
import { t } from "../../strings";
import { formatCount } from "../../ui/format";
import { percentEnds } from "../../ui/shares";
import styles from "./OverviewScreen.module.css";

const { finding: text } = t.advice;

/** How much of what is looked for is found, and whether looking on is worth it. */
export function Finding({ outlook }: { outlook: Outlook }) {
  const found = outlook.reasons.find(({ values }) => values.found !== undefined)?.values.found;
  return (
    <>
      {found !== undefined && <p className={styles.found}>{text.found(found)}</p>}
      <ul className={styles.reasons}>
        {outlook.reasons.map((reason) => (
          <li key={reason.code}>{sentence(reason)}</li>
        ))}
      </ul>
    </>
  );
}

function sentence({ code, values }: Reason): string {
  const whole = (name: string) => Math.round(values[name] ?? 0);
  const count = (name: string) => formatCount(whole(name));
  switch (code) {
    case "left":
      return text.left(count("left"), count("low"), count("high"));
    case "yield":
      return text.yield(
        count("inside"),
        count("answers"),
        ...percentEnds(values.low ?? 0, values.high ?? 0),
      );
    case "few_answers":
      return text.fewAnswers(whole("answers"), count("needed"));
    case "not_estimated":
      return text.notEstimated;
    default:
      return code;
  }
}
