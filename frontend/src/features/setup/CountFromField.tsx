import { t } from "../../strings";
import { SelectField } from "../../ui/Field";

type CountFromFieldProps = { value: number | null; onChange: (value: number | null) => void };

/** Which number the first class has in columns of numbers, where they do not say it themselves. */
export function CountFromField({ value, onChange }: CountFromFieldProps) {
  const text = t.setup.countFrom;
  return (
    <SelectField
      label={text.label}
      hint={text.hint}
      value={value === null ? "" : String(value)}
      onChange={(event) => onChange(event.target.value === "" ? null : Number(event.target.value))}
    >
      <option value="">{text.themselves}</option>
      <option value="0">{text.from(0)}</option>
      <option value="1">{text.from(1)}</option>
    </SelectField>
  );
}
