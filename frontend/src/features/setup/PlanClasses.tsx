import { t } from "../../strings";
import { CheckField } from "../../ui/Field";
import styles from "./PlanDialog.module.css";

type PlanClassesProps = {
  /** Names that are no classes yet, with how many images have each. */
  found: Map<string, number>;
  picked: ReadonlySet<string>;
  onPick: (names: Set<string>) => void;
};

/** What folders or labels are called, to be made classes: all by one click, or some. */
export function PlanClasses({ found, picked, onPick }: PlanClassesProps) {
  const text = t.setup.plan;
  const names = [...found.keys()];
  const isAll = names.every((name) => picked.has(name));
  const hasUnused = names.some((name) => found.get(name) === 0);
  const toggle = (name: string) => {
    const next = new Set(picked);
    if (!next.delete(name)) next.add(name);
    onPick(next);
  };
  return (
    <fieldset className={styles.columns}>
      <legend>{text.classesByName}</legend>
      <CheckField
        label={text.makeClasses(names.length)}
        hint={
          names.length > 1
            ? `${text.makeSome}${hasUnused ? ` ${text.listedOnly}` : ""}`
            : text.label(names[0] ?? "", found.get(names[0] ?? "") ?? 0)
        }
        checked={isAll}
        onChange={() => onPick(new Set(isAll ? [] : names))}
      />
      {names.length > 1 && (
        <ul className={styles.names} aria-label={text.classesByName}>
          {names.map((name) => (
            <li key={name}>
              <label>
                <input type="checkbox" checked={picked.has(name)} onChange={() => toggle(name)} />
                {name} <small>{found.get(name)}</small>
              </label>
            </li>
          ))}
        </ul>
      )}
    </fieldset>
  );
}
