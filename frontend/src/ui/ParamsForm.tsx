import { parametersOf } from "../api/algorithms";
import type { Algorithm, ParamSchema } from "../api/types";
import { t } from "../strings";
import { CheckField, SelectField, TextField } from "./Field";
import { NumberField } from "./NumberField";
import styles from "./ParamsForm.module.css";

type Params = Record<string, unknown>;

type ParamsFormProps = { algorithm: Algorithm; params: Params; onChange: (params: Params) => void };

/** The parameters of an algorithm, as fields made from its JSON Schema. */
export function ParamsForm({ algorithm, params, onChange }: ParamsFormProps) {
  return (
    <div className={styles.params}>
      {Object.entries(parametersOf(algorithm)).map(([name, schema]) => (
        <ParamField
          key={name}
          name={name}
          schema={schema}
          value={given(params[name], algorithm.defaults[name])}
          onChange={(value) => onChange({ ...params, [name]: value })}
        />
      ))}
    </div>
  );
}

/** A null that was given stays: it says that the field is empty on purpose. */
const given = (value: unknown, preset: unknown = null): unknown =>
  value === undefined ? preset : value;

type ParamFieldProps = {
  name: string;
  schema: ParamSchema;
  value: unknown;
  onChange: (value: unknown) => void;
};

function ParamField({ name, schema: outer, value, onChange }: ParamFieldProps) {
  const nullable = outer.anyOf?.some((option) => option.type === "null") ?? false;
  const schema = { ...outer, ...outer.anyOf?.find((option) => option.type !== "null") };
  const label = labelOf(name, outer);
  const hint = outer.description;
  if (schema.enum) {
    return (
      <SelectField
        label={label}
        hint={hint}
        value={String(value)}
        onChange={(event) =>
          onChange(schema.enum?.find((item) => String(item) === event.target.value))
        }
      >
        {schema.enum.map((item) => (
          <option key={String(item)} value={String(item)}>
            {wordsOf(item, schema)}
          </option>
        ))}
      </SelectField>
    );
  }
  if (schema.type === "boolean") {
    return (
      <CheckField
        label={label}
        hint={hint}
        checked={Boolean(value)}
        onChange={(event) => onChange(event.target.checked)}
      />
    );
  }
  if (schema.type === "integer" || schema.type === "number") {
    return (
      <NumberField
        label={label}
        hint={hint}
        value={value as number | null}
        nullable={nullable}
        integer={schema.type === "integer"}
        min={schema.minimum}
        above={schema.exclusiveMinimum}
        max={schema.maximum}
        below={schema.exclusiveMaximum}
        onChange={onChange}
      />
    );
  }
  return (
    <TextField
      label={label}
      hint={hint}
      value={value === null ? "" : String(value)}
      onChange={(event) => onChange(nullable && !event.target.value ? null : event.target.value)}
    />
  );
}

/** What a value is called, as its field would show it. */
export function wordsOf(value: unknown, schema?: ParamSchema): string {
  const word = schema?.words?.[String(value)];
  if (word !== undefined) return word;
  if (value === null || value === "") return t.common.values.empty;
  if (typeof value === "boolean") return value ? t.common.values.on : t.common.values.off;
  if (typeof value === "object") return JSON.stringify(value);
  return String(value);
}

/** What a parameter is called: `learning_rate` is `Learning rate` where its schema has no title. */
export const labelOf = (name: string, schema?: ParamSchema): string =>
  schema?.title ?? name.charAt(0).toUpperCase() + name.slice(1).replaceAll("_", " ");
