/** The result of a dry run; `phases` has the seconds of each. */
export type Estimate = {
  seconds: number;
  memory_bytes: number;
  device: string;
  labeled: number;
  phases: Record<string, number>;
  notes: string[];
  /** Where a judge would be asked; `price` is null where it has none. */
  requests?: number;
  tokens_in?: number;
  tokens_out?: number;
  price?: number | null;
} & Partial<Foreseen>;
/** What a certificate would take, and what would come of it. */
export type Foreseen = Outlook & {
  /** Classes most likely left to people; null is none of the classes. */
  left: (number | null)[];
  /** Where that would most likely be nothing: what can be promised, if anything can. */
  less?: (Outlook & { target: number }) | null;
};

export type Outlook = {
  /** Checks on average; one time of ten it is fewer than `answers_low`, or more than `answers_high`. */
  answers: number;
  answers_low: number;
  answers_high: number;
  /** Examples that would be labeled, on average. */
  auto: number;
  /** Chance that none would be, 0..1. */
  in_vain: number;
};
