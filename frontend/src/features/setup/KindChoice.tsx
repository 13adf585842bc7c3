import { useId } from "react";
import { t } from "../../strings";
import styles from "./KindChoice.module.css";
import { type Kind, kinds } from "./kinds";

type KindChoiceProps<One extends Kind> = {
  value: One;
  offered: readonly One[];
  onChange: (kind: One) => void;
};

/** What a project holds and asks. It is asked first, because it stays. */
export function KindChoice<One extends Kind>({ value, offered, onChange }: KindChoiceProps<One>) {
  const name = useId();
  const { medium: text } = t.setup;
  return (
    <fieldset className={styles.choice}>
      <legend>{text.title}</legend>
      {offered.map((kind) => (
        <label key={kind} className={styles.option}>
          <input
            type="radio"
            name={name}
            checked={kind === value}
            onChange={() => onChange(kind)}
          />
          <Sketch of={kind} />
          <span className={styles.words}>
            <strong>{text.titles[kind]}</strong>
            <small>{text.hints[kind]}</small>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

/** A picture with hills under a sun, the same with a box around the sun, lines of writing, or such in an order. */
function Sketch({ of }: { of: Kind }) {
  return (
    <svg viewBox="0 0 48 36" className={styles.sketch} aria-hidden="true">
      <rect x="1" y="1" width="46" height="34" rx="4" />
      {of === "text" && <path d="M9 10h22M9 16h30M9 22h27M9 28h14" />}
      {of === "instructions" && (
        <>
          <path d="M18 9h22M18 18h17M18 27h20" />
          <path
            className={styles.box}
            d="M8 7.5 10.5 6v6M8 16q4-2 3.5 1L8 21h4M8 24.5h4l-2 2.5q3 0 1.5 2.5T8 30"
          />
        </>
      )}
      {kinds[of].medium === "image" && (
        <>
          <circle cx="35" cy="11" r="4" />
          <path d="M6 29 18 14l9 11 5-6 10 10" />
        </>
      )}
      {of === "boxes" && <path className={styles.box} d="M28.5 5h13v12h-13zM9 12h18v17H9z" />}
    </svg>
  );
}
