import { t } from "../../../strings";
import styles from "./DensityControl.module.css";
import { DENSITIES, type Density } from "./useDensity";

type DensityControlProps = { density: Density; onChange: (density: Density) => void };

export function DensityControl({ density, onChange }: DensityControlProps) {
  return (
    <fieldset className={styles.density}>
      <legend>{t.grid.density}</legend>
      {DENSITIES.map((one) => (
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
