import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { algorithmsQuery } from "../../api/algorithms";
import type { Project } from "../../api/types";
import { t } from "../../strings";
import { traitsOf } from "../../tasks/traits";
import { Card } from "../../ui/Card";
import { useSelections } from "../../ui/jobs/useSelections";
import { useManages } from "../../ui/managing";
import { StepMark } from "../../ui/StepMark";
import styles from "./FirstSteps.module.css";
import { beginsAtRandom, firstSteps, nextStep, type StepName } from "./steps";

/** From nothing to the first model, step by step; it goes when the first round has closed. */
export function FirstSteps({ project }: { project: Project }) {
  const { firstSteps: text } = t.overview;
  const selections = useSelections(project.id, traitsOf(project).isCurated);
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
            data-done={done || undefined}
            aria-current={name === next ? "step" : undefined}
          >
            <StepMark state={done ? "done" : name === next ? "now" : "next"} />
            <div>
              {done || to === null || (name === "round" && name !== next) ? (
                <strong>{text.steps[name].title}</strong>
              ) : (
                <Link to={to}>{text.steps[name].title}</Link>
              )}
              {!done && <p>{saidOf(name, to)}</p>}
            </div>
          </li>
        ))}
      </ol>
    </Card>
  );
}
