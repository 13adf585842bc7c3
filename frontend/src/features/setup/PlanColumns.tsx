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
  /** Whether images go to the pool that it was planned without. */
  addsToPool: boolean;
  /** Whether the label of an image that goes to the pool is a class, which the groups tell. */
  labelsPool: boolean;
  /** Whether any column may turn out to hold the labels, and with these the classes. */
  offersAll: boolean;
  columns: string[];
  /** Whether it is planned anew, by which column was ticked last. */
  busy: boolean;
  onColumns: (columns: string[]) => void;
};

/** Labels that documents state, and columns whose labels may become annotations. */
export function PlanColumns(props: PlanColumnsProps) {
  const { plan, added, isAll, isPool, addsToPool, labelsPool, offersAll } = props;
  const { columns, busy, onColumns } = props;
  const text = t.setup.plan;
  const stated = plan.labels.filter((one) => one.stated);
  const names = new Set(added);
  const willBe = ({ values }: PlannedColumn) => values.some((value) => isClass(value, names));
  const offered = plan.labels.filter(
    (one) =>
      !one.stated &&
      (offersAll || one.chosen || one.readable + (one.elsewhere ?? 0) > 0 || willBe(one)),
  );
  const isAsked = ({ column, readable, unreadable, elsewhere = 0 }: PlannedColumn) => {
    if (readable > 0) return true;
    if (column === (plan.columns?.label ?? "label")) return labelsPool;
    return unreadable > 0 || (addsToPool && elsewhere > 0);
  };
  const asked = isPool ? offered.filter(isAsked) : [];
  const told = isPool ? offered.filter((one) => !isAsked(one)) : [];
  const nameOf = ({ column }: PlannedColumn) => (column === "label" ? text.folderLabel : column);
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
      {told.map((one) => (
        <p key={one.column} className={styles.hint}>
          {text.labelsNothing(nameOf(one), (one.elsewhere ?? 0) > 0)}
        </p>
      ))}
      {asked.length > 0 && (
        <fieldset className={styles.columns}>
          <legend>{text.columns}</legend>
          {asked.map((one) => (
            <CheckField
              key={one.column}
              label={nameOf(one)}
              hint={valuesOf(one, added, isAll)}
              checked={columns.includes(one.column)}
              disabled={busy}
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
  if (readable + unreadable === 0) return text.valuesOfClasses(elsewhere, values);
  const names = new Set(added);
  const isOfThese = values.some((value) => isClass(value, names));
  if (!isOfThese) return text.values(readable, unreadable, values);
  return isAll
    ? text.values(readable + unreadable, 0, values)
    : text.valuesOfClasses(readable + unreadable, values);
}
