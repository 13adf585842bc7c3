import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { algorithmsQuery } from "../../api/algorithms";
import type { Project } from "../../api/types";
import { t } from "../../strings";
import { Card } from "../../ui/Card";
import { useManages } from "../../ui/managing";
import styles from "./FirstSteps.module.css";
import { beginsAtRandom, firstSteps, nextStep } from "./steps";

type FirstStepsProps = {
  project: Project;
  /** Whether rows were chosen already, of instructions. */
  isChosen?: boolean;
};

/** From nothing to the first model, step by step; it goes when the first round has closed. */
export function FirstSteps({ project, isChosen = false }: FirstStepsProps) {
  const { firstSteps: text } = t.overview;
  const steps = firstSteps(project, isChosen);
  const next = nextStep(steps);
  const manages = useManages();
  const { data: catalog } = useQuery(algorithmsQuery);
  const isRandom = beginsAtRandom(project, catalog?.items);
  if (steps.length === 0 || !manages) return null;
  return (
    <Card title={text.title}>
      <ol className={styles.steps}>
        {steps.map(({ name, done, to }) => (
          <li
            key={name}
            data-state={done ? "done" : name === next ? "next" : "open"}
            aria-current={name === next ? "step" : undefined}
          >
            <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
              {done && <path d="m3.5 8.5 3 3 6-7" />}
            </svg>
            <div>
              {done || (name === "round" && name !== next) ? (
                <strong>{text.steps[name].title}</strong>
              ) : (
                <Link to={to}>{text.steps[name].title}</Link>
              )}
              {done && <span className={styles.hidden}> {text.done}</span>}
              {!done && (
                <p>{name === "label" && isRandom ? text.atRandom : text.steps[name].text}</p>
              )}
            </div>
          </li>
        ))}
      </ol>
    </Card>
  );
}
