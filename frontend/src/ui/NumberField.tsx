import { type ReactNode, useRef, useState } from "react";
import { t } from "../strings";
import { TextField } from "./Field";
import { parseNumber } from "./parseNumber";

type NumberFieldProps = {
  label: string;
  hint?: ReactNode;
  value: number | null;
  /** Whether the field may be empty. */
  nullable?: boolean;
  min?: number | undefined;
  /** A bound that is itself too low. */
  above?: number | undefined;
  max?: number | undefined;
  /** A bound that is itself too high. */
  below?: number | undefined;
  integer?: boolean;
  disabled?: boolean;
  /** What an empty field means. */
  placeholder?: string;
  /** What is needed, where the bounds alone do not say it. */
  needed?: string;
  onChange: (value: number | null) => void;
};

/**
 * A number that can be typed freely. What is no valid one yet is shown as such and not handed on, nor is what it begins
 * with: it is as before until it is one. Dialogs go ahead with none of them.
 */
export function NumberField(props: NumberFieldProps) {
  const { label, hint, value, nullable, min, above, max, below, integer, disabled, onChange } =
    props;
  const { placeholder, needed } = props;
  const [typed, setTyped] = useState<string | null>(null);
  const before = useRef(value);
  const parse = (text: string): number | null | undefined => {
    if (text.trim() === "") return nullable ? null : undefined;
    const number = parseNumber(text);
    if (!Number.isFinite(number) || (integer && !Number.isInteger(number))) return undefined;
    const tooLow = (min !== undefined && number < min) || (above !== undefined && number <= above);
    const tooHigh = (max !== undefined && number > max) || (below !== undefined && number >= below);
    return tooLow || tooHigh ? undefined : number;
  };
  const invalid = typed !== null && parse(typed) === undefined;
  return (
    <TextField
      label={label}
      hint={hint}
      inputMode={integer ? "numeric" : "decimal"}
      autoComplete="off"
      disabled={disabled}
      placeholder={placeholder}
      data-unheard={invalid || undefined}
      error={
        invalid ? (needed ?? t.common.numberNeeded({ integer, min, above, max, below })) : null
      }
      value={typed ?? (value === null ? "" : String(value))}
      onChange={(event) => {
        if (typed === null) before.current = value;
        setTyped(event.target.value);
        const number = parse(event.target.value);
        if (number !== undefined) onChange(number);
        else if (value !== before.current) onChange(before.current);
      }}
      onBlur={() => {
        if (!invalid) setTyped(null);
      }}
    />
  );
}
