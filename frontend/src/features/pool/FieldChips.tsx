import type { Filters } from "../../api/types";
import { t } from "../../strings";
import { Button } from "../../ui/Button";
import styles from "./Fields.module.css";
import { readCondition } from "./fieldConditions";

const { fieldFilters: text } = t;
const SIGNS = { "=": "=", "<": "<", "<=": "≤", ">": ">", ">=": "≥" };

type FieldChipsProps = { filters: Filters; onChange: (values: Partial<Filters>) => void };

/** What fields have to be, each of which can be taken away. */
export function FieldChips({ filters: { fields }, onChange }: FieldChipsProps) {
  if (!fields?.length) return null;
  return (
    <ul className={styles.chips} aria-label={text.chips}>
      {fields.map((one) => {
        const rest = fields.filter((other) => other !== one);
        const what = said(one);
        return (
          <li key={one}>
            <Button
              size="small"
              aria-label={text.remove(what)}
              onClick={() => onChange({ fields: rest.length > 0 ? rest : null })}
            >
              <span>{what}</span>
              <span aria-hidden="true">×</span>
            </Button>
          </li>
        );
      })}
    </ul>
  );
}

function said(written: string): string {
  const condition = readCondition(written);
  if (!condition) return written;
  const { name, sign, value } = condition;
  if (sign === "") return text.has(name);
  return sign === "!" ? text.lacks(name) : `${name} ${SIGNS[sign]} ${value}`;
}
