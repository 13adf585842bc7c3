import { type ReactNode, useState } from "react";
import { t } from "../strings";
import { TextField } from "./Field";

type NumberFieldProps = {
  label: string;
  hint?: ReactNode;
  value: number | null;
  /** Whether the field may be empty. */
  nullable?: boolean;
  min?: number | undefined;
  max?: number | undefined;
  integer?: boolean;
  disabled?: boolean;
  onChange: (value: number | null) => void;
};

/** A number that can be typed freely: what is no number yet is shown as such and not handed on. */
export function NumberField(props: NumberFieldProps) {
  const { label, hint, value, nullable, min, max, integer, disabled, onChange } = props;
  const [typed, setTyped] = useState<string | null>(null);
  const parse = (text: string): number | null | undefined => {
    if (text.trim() === "") return nullable ? null : undefined;
    const number = Number(text.replace(",", "."));
    if (!Number.isFinite(number) || (integer && !Number.isInteger(number))) return undefined;
    if ((min !== undefined && number < min) || (max !== undefined && number > max))
      return undefined;
    return number;
  };
  const invalid = typed !== null && parse(typed) === undefined;
  return (
    <TextField
      label={label}
      hint={hint}
      inputMode={integer ? "numeric" : "decimal"}
      autoComplete="off"
      disabled={disabled}
      error={invalid ? t.common.numberNeeded(min, max) : null}
      value={typed ?? (value === null ? "" : String(value))}
      onChange={(event) => {
        setTyped(event.target.value);
        const number = parse(event.target.value);
        if (number !== undefined) onChange(number);
      }}
      onBlur={() => {
        if (!invalid) setTyped(null);
      }}
    />
  );
}
