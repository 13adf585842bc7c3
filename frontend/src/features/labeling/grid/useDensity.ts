import { useEffect, useState } from "react";
import type { Medium } from "../../../strings/medium";

/** How many examples can be shown at once: texts take more room, and more time to read. */
export const DENSITIES = { image: [20, 40, 60], text: [8, 16, 32] } as const;
export type Density = (typeof DENSITIES)[Medium][number];

const KEYS: Record<Medium, string> = { image: "karat:density", text: "karat:text-density" };
const USUAL: Record<Medium, Density> = { image: 40, text: 16 };
const stepsOf = (medium: Medium): readonly Density[] => DENSITIES[medium];

/** How many are shown at once; remembered on this device. */
export function useDensity(medium: Medium) {
  const [density, setDensity] = useState<Density>(() => {
    const stored = Number(localStorage.getItem(KEYS[medium]));
    return stepsOf(medium).find((one) => one === stored) ?? USUAL[medium];
  });
  useEffect(() => localStorage.setItem(KEYS[medium], String(density)), [medium, density]);
  return [density, setDensity] as const;
}

/** The next step up or down, or the same at the end. */
export const denser = (medium: Medium, density: Density, by: 1 | -1): Density =>
  stepsOf(medium)[stepsOf(medium).indexOf(density) + by] ?? density;
