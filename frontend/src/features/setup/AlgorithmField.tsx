import { useId } from "react";
import type { Algorithm, AlgorithmKind, Choice } from "../../api/types";
import { t } from "../../strings";
import { ParamsForm } from "../../ui/ParamsForm";
import styles from "./AlgorithmField.module.css";

type AlgorithmFieldProps = {
  kind: AlgorithmKind;
  algorithms: Algorithm[];
  choice: Choice;
  note: string | null;
  onChange: (choice: Choice) => void;
};

/** A choice among algorithms, each explained in a sentence; the chosen one's parameters below. */
export function AlgorithmField(props: AlgorithmFieldProps) {
  const { kind, algorithms, choice, note, onChange } = props;
  const group = useId();
  const chosen = algorithms.find((algorithm) => algorithm.name === choice.name);
  const hasParams = Object.keys(chosen?.params_schema.properties ?? {}).length > 0;
  return (
    <fieldset className={styles.field}>
      <legend>
        {t.setup.kinds[kind]}
        {note && <span className={styles.note}>{note}</span>}
      </legend>
      <div className={styles.options}>
        {algorithms.map((algorithm) => (
          <label key={algorithm.name} className={styles.option}>
            <input
              type="radio"
              name={group}
              value={algorithm.name}
              checked={algorithm.name === choice.name}
              onChange={() => onChange({ name: algorithm.name, params: algorithm.defaults })}
            />
            <span className={styles.title}>{algorithm.title}</span>
            <span className={styles.summary}>{algorithm.summary}</span>
          </label>
        ))}
      </div>
      {chosen && (hasParams || chosen.paper) && (
        <details className={styles.advanced}>
          <summary>
            {t.setup.advanced}: {chosen.title}
          </summary>
          {hasParams && (
            <ParamsForm
              key={chosen.name}
              algorithm={chosen}
              params={choice.params}
              onChange={(params) => onChange({ ...choice, params })}
            />
          )}
          {chosen.paper && (
            <p className={styles.paper}>
              {t.setup.paper}: {chosen.paper}
            </p>
          )}
        </details>
      )}
    </fieldset>
  );
}
