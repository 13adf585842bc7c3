import type { Box } from "./model";

/** What stays from one image to the next: of a visit, or of this device. */
export type Memory = {
  /** The class that the next box is drawn of. */
  armed: number | null;
  /** Proposals below this score are only dots. */
  threshold: number;
  /** Boxes that were copied, in pixels. */
  copied: readonly Box[];
  /** Those of the last image that had any, to begin with. */
  last: readonly Box[];
  crosshair: boolean;
};

export const USUAL_THRESHOLD = 0.3;
/** Proposals below this score are not even dots: of those a model has a hundred on every image. */
export const LEAST_DOT = 0.1;

const memories = new Map<string, Memory>();

export function memoryOf(projectId: number, userId: number): Memory {
  const name = `${userId}:${projectId}`;
  const known = memories.get(name);
  if (known) return known;
  const fresh = { armed: null, threshold: USUAL_THRESHOLD, copied: [], last: [], crosshair: true };
  memories.set(name, fresh);
  return fresh;
}
