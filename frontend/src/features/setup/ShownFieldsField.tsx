import { useQuery } from "@tanstack/react-query";
import { useId } from "react";
import { fieldsQuery } from "../../api/pool";
import type { Project } from "../../api/types";
import { t } from "../../strings";
import { traitsOf } from "../../tasks/traits";
import { CheckField } from "../../ui/Field";
import styles from "./ModesField.module.css";

const { fields: text } = t.label;

/** As many as the server takes. */
const MOST = 12;

type ShownFieldsFieldProps = {
  project: Pick<Project, "id" | "task">;
  shown: string[];
  onChange: (shown: string[]) => void;
};

/** Which of the fields that came with the examples annotators see, in the order in which they are chosen. */
export function ShownFieldsField({ project, shown, onChange }: ShownFieldsFieldProps) {
  const id = useId();
  const brought = useQuery(fieldsQuery(project.id)).data?.items ?? [];
  const values = new Map(brought.map(({ name, value }) => [name, value]));
  // What is chosen can be taken back, also where none of the first examples has it.
  const names = [...new Set([...values.keys(), ...shown])];
  // Those of a group have each their own.
  if (traitsOf(project).inGroups || names.length === 0) return null;
  return (
    <fieldset className={styles.modes} aria-describedby={`${id}-hint`}>
      <legend>{text.choose}</legend>
      <p id={`${id}-hint`}>{text.hint}</p>
      <div className={styles.names}>
        {names.map((name) => (
          <CheckField
            key={name}
            label={name}
            hint={values.has(name) ? text.value(String(values.get(name))) : undefined}
            checked={shown.includes(name)}
            disabled={shown.length >= MOST && !shown.includes(name)}
            onChange={(event) =>
              onChange(
                event.target.checked ? [...shown, name] : shown.filter((one) => one !== name),
              )
            }
          />
        ))}
      </div>
    </fieldset>
  );
}
