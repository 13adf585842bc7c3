import type { Label } from "./types";

/** A class as a label; null, which is OOD, is none. */
export const labelOf = (classId: number | null | undefined): Label | null =>
  classId === null || classId === undefined ? null : { type: "classification", class_id: classId };
