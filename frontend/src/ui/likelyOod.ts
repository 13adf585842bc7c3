/** Below it an image is likely OOD, as for the server. */
const LIKELY_OOD = 0.5;

/** Whether a probability of being in-distribution, where there is one, says that an image is not. */
export const isLikelyOod = (inside: number | null): boolean =>
  inside !== null && inside < LIKELY_OOD;
