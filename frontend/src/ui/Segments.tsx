import { useId } from "react";
import styles from "./Segments.module.css";

type SegmentsProps<Value extends string> = {
  label: string;
  /** Only for those who do not see that the choices belong together. */
  hideLabel?: boolean;
  /** What can be chosen, and how each is called; `lang` where that is in another language. */
  options: readonly { value: Value; name: string; lang?: string }[];
  value: Value;
  onChange: (value: Value) => void;
};

/** One of a few, side by side. */
export function Segments<Value extends string>({
  label,
  hideLabel,
  options,
  value,
  onChange,
}: SegmentsProps<Value>) {
  const name = useId();
  return (
    <fieldset className={styles.group}>
      <legend className={hideLabel ? "visually-hidden" : undefined}>{label}</legend>
      <div className={styles.segments}>
        {options.map((option) => (
          <label key={option.value} lang={option.lang}>
            <input
              type="radio"
              name={name}
              className="visually-hidden"
              checked={option.value === value}
              onChange={() => onChange(option.value)}
            />
            <span>{option.name}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
