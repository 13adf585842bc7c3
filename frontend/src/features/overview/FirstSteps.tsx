import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { algorithmsQuery } from "../../api/algorithms";
import type { Project } from "../../api/types";
import { t } from "../../strings";
import { Card } from "../../ui/Card";
import { useSelections } from "../../ui/jobs/useSelections";
import { useManages } from "../../ui/managing";
import styles from "./FirstSteps.module.css";
import { beginsAtRandom, firstSteps, nextStep, type StepName } from "./steps";

/** From nothing to the first model, step by step; it goes when the first round has closed. */
export function FirstSteps({ project }: { project: Project }) {
  const { firstSteps: text } = t.overview;
  const selections = useSelections(project.id, project.task === "instructions");
  const steps = firstSteps(project, selections.length > 0);
  const next = nextStep(steps);
  const manages = useManages();
  const { data: catalog } = useQuery(algorithmsQuery);
  const isRandom = beginsAtRandom(project, catalog?.items);
  const saidOf = (name: StepName, to: string | null): string => {
    if (name !== "label") return text.steps[name].text;
    if (to === null) return t.label.noPage.text(project.task);
    return isRandom ? text.atRandom : text.steps.label.text;
  };
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
              {done || to === null || (name === "round" && name !== next) ? (
                <strong>{text.steps[name].title}</strong>
              ) : (
                <Link to={to}>{text.steps[name].title}</Link>
              )}
              {done && <span className={styles.hidden}> {text.done}</span>}
              {!done && <p>{saidOf(name, to)}</p>}
            </div>
          </li>
        ))}
      </ol>
    </Card>
  );
}
