import type { FolderChoice, PlannedGroup } from "../../api/types";
import { t } from "../../strings";
import { managerWordsOf } from "../../tasks/managerWords";
import { traitsOf } from "../../tasks/traits";
import { SelectField } from "../../ui/Field";
import { Said } from "../../ui/Said";
import styles from "./PlanDialog.module.css";
import { type Chosen, choiceOf, labeled, SPLITS } from "./plan";

type PlanGroupProps = {
  group: PlannedGroup;
  /** Whether there is no other. */
  isAll: boolean;
  chosen: Chosen;
  classes: ReadonlySet<string>;
  task: string;
  onChoose: (choice: FolderChoice) => void;
};

/** Images that one folder, or one value of a column, holds together, and what becomes of them. */
export function PlanGroup(props: PlanGroupProps) {
  const { group, isAll, chosen, classes, onChoose } = props;
  const { isDrawn } = traitsOf(props);
  const text = t.setup.plan;
  const choice = choiceOf(group, chosen);
  const name = group.fixed ? text.more : (group.name ?? (isAll ? text.all : text.others));
  const goesTo = choice === "class" ? chosen.split : choice;
  const lost = goesTo === "evaluation" ? group.count - labeled(group, classes, isDrawn) : 0;
  const options: FolderChoice[] = [
    ...SPLITS,
    ...(group.may_be_class ? (["class"] as const) : []),
    ...(group.name === null ? [] : (["leave_out"] as const)),
  ];
  return (
    <li className={styles.group}>
      <div className={styles.what}>
        <strong>{name}</strong>
        <span>{text.images(group.count)}</span>
        {group.labels.length > 0 && (
          <span className={styles.hint}>
            {text.classes(group.labels.map((label) => text.label(label.name, label.count)))}
          </span>
        )}
        {group.examples[0] && <Example name={group.examples[0]} />}
        {group.reason && (
          <span className={styles.reason}>
            <Said>{group.reason}</Said>
          </span>
        )}
        {lost > 0 && (
          <span className={styles.reason}>{managerWordsOf(props).setup().withoutClass(lost)}</span>
        )}
      </div>
      {group.fixed ? (
        <span>{text.fixed[group.fixed]}</span>
      ) : (
        <SelectField
          label={text.becomes(name)}
          hideLabel
          value={choice}
          onChange={(event) => onChoose(event.target.value as FolderChoice)}
        >
          {options.map((option) => (
            <option key={option} value={option}>
              {text.choices[option]}
            </option>
          ))}
        </SelectField>
      )}
    </li>
  );
}

/** What one of them is called: by its path, by how it begins, or by its row. */
function Example({ name }: { name: string }) {
  const row = /^row (\d+)$/.exec(name);
  const said = row ? t.setup.plan.row(Number(row[1])) : name;
  return <span className={/\s/.test(said) ? styles.hint : styles.example}>{said}</span>;
}
