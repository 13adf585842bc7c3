/** Whether the system asks that nothing be animated. */
export const isMotionReduced = (): boolean =>
  matchMedia("(prefers-reduced-motion: reduce)").matches;
