import { useId } from "react";
import type { Settings } from "../../api/types";
import { t } from "../../strings";
import { traitsOf } from "../../tasks/traits";
import { CheckField } from "../../ui/Field";
import styles from "./ModesField.module.css";

type Modes = Settings["modes"];

const ALL: Modes = ["single", "grid"];

type ModesFieldProps = { task: string; modes: Modes; onChange: (modes: Modes) => void };

/** How annotators may see the images; the last that is left cannot be taken away. */
export function ModesField({ task, modes, onChange }: ModesFieldProps) {
  const id = useId();
  // Many at once can be said of classes only.
  if (!traitsOf({ task }).namesOneClass) return null;
  return (
    <fieldset className={styles.modes} aria-describedby={`${id}-hint`}>
      <legend>{t.setup.modes}</legend>
      <p id={`${id}-hint`}>{t.setup.modesHint}</p>
      {ALL.map((mode) => (
        <CheckField
          key={mode}
          label={t.setup.mode[mode].name}
          hint={t.setup.mode[mode].hint}
          checked={modes.includes(mode)}
          disabled={modes.length === 1 && modes.includes(mode)}
          onChange={(event) =>
            onChange(
              ALL.filter((one) => (one === mode ? event.target.checked : modes.includes(one))),
            )
          }
        />
      ))}
    </fieldset>
  );
}
