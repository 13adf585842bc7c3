import type { ImportPlan, PlannedColumn } from "../../api/types";
import { t } from "../../strings";
import { CheckField } from "../../ui/Field";
import { isClass } from "./classLookup";
import styles from "./PlanDialog.module.css";

type PlanColumnsProps = {
  plan: ImportPlan;
  /** Names that were no classes when it was planned, and are to be made or have come since. */
  added: string[];
  /** Whether these are all that are none yet. */
  isAll: boolean;
  /** Whether images that say no split go to the pool: only those are annotated. */
  isPool: boolean;
  columns: string[];
  onColumns: (columns: string[]) => void;
};

/** Labels that documents state, and columns whose labels may become annotations. */
export function PlanColumns({ plan, added, isAll, isPool, columns, onColumns }: PlanColumnsProps) {
  const text = t.setup.plan;
  const stated = plan.labels.filter((one) => one.stated);
  const names = new Set(added);
  const willBe = ({ values }: PlannedColumn) => values.some((value) => isClass(value, names));
  const offered = plan.labels.filter(
    (one) => !one.stated && (one.chosen || one.readable + (one.elsewhere ?? 0) > 0 || willBe(one)),
  );
  const makesAll = isAll && added.length > 0;
  const toggle = (name: string) =>
    onColumns(columns.includes(name) ? columns.filter((one) => one !== name) : [...columns, name]);
  return (
    <>
      {(stated.length > 0 || plan.documents.length > 0) && (
        <div className={styles.hint}>
          {plan.documents.map(({ name, format }) => (
            <p key={name}>{text.document(name, format)}</p>
          ))}
          {stated.map(({ column, readable, unreadable }) => (
            <p key={column}>
              {makesAll
                ? text.stated(column, readable + unreadable, 0)
                : text.stated(column, readable, unreadable)}
            </p>
          ))}
        </div>
      )}
      {isPool && offered.length > 0 && (
        <fieldset className={styles.columns}>
          <legend>{text.columns}</legend>
          {offered.map((one) => (
            <CheckField
              key={one.column}
              label={one.column === "label" ? text.folderLabel : one.column}
              hint={valuesOf(one, added, isAll)}
              checked={columns.includes(one.column)}
              onChange={() => toggle(one.column)}
            />
          ))}
        </fieldset>
      )}
    </>
  );
}

/** How many labels a column has for the pool, and of which values. */
function valuesOf(column: PlannedColumn, added: string[], isAll: boolean): string {
  const text = t.setup.plan;
  const { readable, unreadable, elsewhere = 0, values } = column;
  if (readable + unreadable === 0)
    return elsewhere > 0 ? text.valuesElsewhere(elsewhere, values) : text.noValues;
  if (added.length === 0) return text.values(readable, unreadable, values);
  return isAll
    ? text.values(readable + unreadable, 0, values)
    : text.valuesOfClasses(readable + unreadable, values);
}
