import { useId } from "react";
import { t } from "../../strings";
import type { Medium } from "../../strings/medium";
import styles from "./MediumChoice.module.css";

const MEDIA: readonly Medium[] = ["image", "text"];

type MediumChoiceProps = { value: Medium; onChange: (medium: Medium) => void };

/** What a project holds. It is asked first, because it stays. */
export function MediumChoice({ value, onChange }: MediumChoiceProps) {
  const name = useId();
  const { medium: text } = t.setup;
  return (
    <fieldset className={styles.choice}>
      <legend>{text.title}</legend>
      {MEDIA.map((medium) => (
        <label key={medium} className={styles.option}>
          <input
            type="radio"
            name={name}
            checked={medium === value}
            onChange={() => onChange(medium)}
          />
          <Sketch of={medium} />
          <span className={styles.words}>
            <strong>{text.titles[medium]}</strong>
            <small>{text.hints[medium]}</small>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

/** A picture with hills under a sun, or lines of writing. */
function Sketch({ of }: { of: Medium }) {
  return (
    <svg viewBox="0 0 48 36" className={styles.sketch} aria-hidden="true">
      <rect x="1" y="1" width="46" height="34" rx="4" />
      {of === "image" ? (
        <>
          <circle cx="35" cy="11" r="4" />
          <path d="M6 29 18 14l9 11 5-6 10 10" />
        </>
      ) : (
        <path d="M9 10h22M9 16h30M9 22h27M9 28h14" />
      )}
    </svg>
  );
}
