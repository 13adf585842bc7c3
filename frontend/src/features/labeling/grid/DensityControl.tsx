import { t } from "../../../strings";
import type { Medium } from "../../../strings/medium";
import styles from "./DensityControl.module.css";
import { DENSITIES, type Density } from "./useDensity";

type DensityControlProps = {
  medium: Medium;
  density: Density;
  onChange: (density: Density) => void;
};

export function DensityControl({ medium, density, onChange }: DensityControlProps) {
  return (
    <fieldset className={styles.density}>
      <legend>{t.grid.density}</legend>
      {DENSITIES[medium].map((one) => (
        <button
          key={one}
          type="button"
          aria-pressed={one === density}
          onClick={() => onChange(one)}
        >
          {one}
        </button>
      ))}
    </fieldset>
  );
}
