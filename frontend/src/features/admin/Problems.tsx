import type { WorkerProblem } from "../../api/types";
import { t } from "../../strings";
import { CopyButton } from "../../ui/CopyButton";
import { Notice } from "../../ui/State";
import styles from "./AdminScreen.module.css";

const { workers: text } = t.admin;

/** What is wrong with the workers, in words, with the remedy; or that nothing is. */
export function Problems({ problems }: { problems: WorkerProblem[] }) {
  if (problems.length === 0) {
    return (
      <div role="status">
        <Notice>{text.fine}</Notice>
      </div>
    );
  }
  return (
    <section className={styles.problems} aria-label={text.problems}>
      {problems.map((problem) => (
        <Problem key={`${problem.code} ${problem.subject}`} problem={problem} />
      ))}
    </section>
  );
}

function Problem({ problem }: { problem: WorkerProblem }) {
  const said = text.problem[problem.code](problem.subject);
  const { command } = problem;
  return (
    <Notice tone="bad">
      <strong>{said.title}</strong>
      <p>{said.text}</p>
      {command && (
        <div className={styles.command}>
          <code>{command}</code>
          <CopyButton text={command} />
        </div>
      )}
    </Notice>
  );
}
