import { useEffect, useState } from "react";

/** How many images can be shown at once. */
export const DENSITIES = [20, 40, 60] as const;
export type Density = (typeof DENSITIES)[number];

const KEY = "karat:density";
const USUAL: Density = 40;

/** How many images are shown at once; remembered on this device. */
export function useDensity() {
  const [density, setDensity] = useState<Density>(() => {
    const stored = Number(localStorage.getItem(KEY));
    return DENSITIES.find((one) => one === stored) ?? USUAL;
  });
  useEffect(() => localStorage.setItem(KEY, String(density)), [density]);
  return [density, setDensity] as const;
}

/** The next step up or down, or the same at the end. */
export const denser = (density: Density, by: 1 | -1): Density =>
  DENSITIES[DENSITIES.indexOf(density) + by] ?? density;
