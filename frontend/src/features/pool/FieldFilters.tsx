import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { fieldsQuery, fieldValuesQuery } from "../../api/pool";
import type { Filters } from "../../api/types";
import { t } from "../../strings";
import { CheckField, SelectField, TextField } from "../../ui/Field";
import styles from "./Fields.module.css";
import {
  type FieldCondition,
  isOrdered,
  readConditions,
  withBound,
  writeCondition,
} from "./fieldConditions";
import { useTyped } from "./useTyped";

const { fieldFilters: text } = t;

type FieldFiltersProps = {
  projectId: number;
  filters: Filters;
  onChange: (values: Partial<Filters>) => void;
};

const written = (conditions: FieldCondition[]): Pick<Filters, "fields"> => ({
  fields: conditions.length > 0 ? conditions.map(writeCondition) : null,
});

/** Finds images by what came with them: one field at a time is asked about, and all have to hold. */
export function FieldFilters({ projectId, filters, onChange }: FieldFiltersProps) {
  const brought = useQuery(fieldsQuery(projectId)).data?.items ?? [];
  const [chosen, setChosen] = useState("");
  const conditions = readConditions(filters.fields ?? []);
  const values = new Map(brought.map(({ name, value }) => [name, String(value)]));
  // What is asked for can be changed, also where no example that was looked at has it.
  const names = [...new Set([...values.keys(), ...conditions.map(({ name }) => name)])];
  if (names.length === 0) return null;
  const name = names.includes(chosen) ? chosen : "";
  return (
    <fieldset className={styles.fields}>
      <legend>{text.title}</legend>
      <SelectField
        label={text.choose}
        hideLabel
        value={name}
        onChange={(event) => setChosen(event.target.value)}
      >
        <option value="">{text.none}</option>
        {names.map((one) => (
          <option key={one}>{one}</option>
        ))}
      </SelectField>
      {name && (
        <OneField
          key={name}
          projectId={projectId}
          name={name}
          example={values.get(name) ?? ""}
          filters={filters}
          conditions={conditions}
          onChange={(next) => onChange(written(next))}
        />
      )}
    </fieldset>
  );
}

type OneFieldProps = {
  projectId: number;
  name: string;
  /** One of its values. */
  example: string;
  filters: Filters;
  conditions: FieldCondition[];
  onChange: (conditions: FieldCondition[]) => void;
};

function OneField(props: OneFieldProps) {
  const { projectId, name, example, filters, conditions, onChange } = props;
  const others = conditions.filter((one) => one.name !== name);
  const own = conditions.filter((one) => one.name === name);
  const found = useQuery(
    fieldValuesQuery(projectId, name, { ...filters, ...written(others) }),
  ).data;
  const counts = new Map(found?.items.map(({ value, count }) => [value, count]));
  const equal = own.filter(({ sign }) => sign === "=").map(({ value }) => value);
  const values = [...new Set([...counts.keys(), ...equal])];
  const bound = (sign: FieldCondition["sign"]) => ({
    value: own.find((one) => one.sign === sign)?.value ?? "",
    onChange: (value: string) => onChange(withBound(conditions, { name, sign, value })),
  });
  const hasOrder = [example, ...values].some(isOrdered);
  return (
    <div className={styles.field}>
      <SelectField
        label={text.value}
        value={own.find(({ sign }) => sign === "" || sign === "!")?.sign ?? "any"}
        onChange={({ target: { value } }) => {
          // What must not be there is neither this nor that.
          const rest = value === "!" ? others : conditions.filter((one) => !asksWhether(one, name));
          const sign = value as "" | "!";
          onChange(value === "any" ? rest : [...rest, { name, sign, value: "" }]);
        }}
      >
        <option value="any">{text.any}</option>
        <option value="">{text.there}</option>
        <option value="!">{text.missing}</option>
      </SelectField>
      {hasOrder && (
        <div className={styles.range}>
          <Bound label={text.from} placeholder={example} {...bound(">=")} />
          <Bound label={text.to} {...bound("<=")} />
        </div>
      )}
      {found && !found.many && values.length > 0 && (
        <fieldset className={styles.values}>
          <legend className="visually-hidden">{text.values}</legend>
          {values.map((value) => (
            <CheckField
              key={value}
              label={value}
              hint={text.count(counts.get(value) ?? 0, found.exact)}
              checked={equal.includes(value)}
              onChange={(event) =>
                onChange(
                  event.target.checked
                    ? [...conditions, { name, sign: "=", value }]
                    : conditions.filter((one) => !isEqual(one, name, value)),
                )
              }
            />
          ))}
        </fieldset>
      )}
      {found?.many && <Bound label={text.is} {...bound("=")} />}
    </div>
  );
}

const asksWhether = (one: FieldCondition, name: string): boolean =>
  one.name === name && (one.sign === "" || one.sign === "!");

const isEqual = (one: FieldCondition, name: string, value: string): boolean =>
  one.name === name && one.sign === "=" && one.value === value;

type BoundProps = {
  label: string;
  placeholder?: string;
  value: string;
  onChange: (value: string) => void;
};

function Bound({ label, placeholder, value, onChange }: BoundProps) {
  const typed = useTyped(value, onChange);
  return (
    <TextField
      label={label}
      placeholder={placeholder}
      autoComplete="off"
      maxLength={1000}
      value={typed.value}
      onChange={(event) => typed.set(event.target.value)}
      onBlur={typed.leave}
    />
  );
}
