import { hashKey, useQueries } from "@tanstack/react-query";
import { useId } from "react";
import { useTitles } from "../../api/algorithms";
import { defaultsQuery } from "../../api/projects";
import type { Goal, Settings } from "../../api/types";
import { useMedium } from "../../media/MediumContext";
import { t } from "../../strings";
import { managerWordsOf } from "../../tasks/managerWords";
import { Card } from "../../ui/Card";
import styles from "./GoalCard.module.css";

const { goal: text } = t.advice;
const GOALS: readonly Goal[] = ["best_model", "find_all"];

type GoalCardProps = { task: string; settings: Settings; onChange: (settings: Settings) => void };

/** Asks once what the labels are for; the strategy follows, unless somebody has chosen another. */
export function GoalCard({ task, settings, onChange }: GoalCardProps) {
  const name = useId();
  const medium = useMedium();
  const titleOf = useTitles("strategy");
  const strategies = useQueries({
    queries: GOALS.map((goal) => defaultsQuery(goal, medium)),
    combine: (results) =>
      Object.fromEntries(
        GOALS.map((goal, index) => [goal, results[index]?.data?.strategy]),
      ) as Partial<Record<Goal, Settings["strategy"]>>,
  });
  const { goals: hints } = managerWordsOf({ task }).setup();
  const usual = strategies[settings.goal];
  const follows = usual !== undefined && hashKey([usual]) === hashKey([settings.strategy]);
  const choose = (goal: Goal) => {
    const strategy = follows ? (strategies[goal] ?? settings.strategy) : settings.strategy;
    onChange({ ...settings, goal, strategy });
  };
  return (
    <Card title={text.title} hint={text.hint} id="goal">
      <fieldset className={styles.goals}>
        <legend className="visually-hidden">{text.title}</legend>
        {GOALS.map((goal) => (
          <label key={goal} className={styles.goal}>
            <input
              type="radio"
              name={name}
              checked={settings.goal === goal}
              onChange={() => choose(goal)}
            />
            <span>
              <strong>{text.names[goal]}</strong>
              <small>{hints[goal]}</small>
            </span>
          </label>
        ))}
      </fieldset>
      {usual && (
        <p className={styles.strategy}>
          {(follows ? text.strategy : text.kept)(titleOf(settings.strategy.name))}
        </p>
      )}
    </Card>
  );
}
