/** The label of a class, as the API sends it; null for none. */
export const labelOf = (class_id: number | null) =>
  class_id === null ? null : { type: "classification" as const, class_id };
