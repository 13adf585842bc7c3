/** One turn of a longer conversation. */
export type Turn = { role: string; content: string };

/** What a row of instruction data holds. */
export type Fields = {
  system?: string | null;
  instruction: string;
  input?: string;
  responses: readonly string[];
  /** Only of conversations of more than one exchange: all of them, the first and the last included. */
  turns?: readonly Turn[];
};

/** One of the examples that are ranked together. */
export type Member = { example_id: number; fields: Fields };

/** An answer: ids of examples, the best first, with ties in the same place; and those that are wrong. */
export type RankingLabel = { type: "instructions"; order: number[][]; wrong: number[] };

type LabelIn = { type: "instructions"; order: readonly (readonly number[])[]; wrong?: number[] };

const isLabel = (label: unknown): label is LabelIn =>
  typeof label === "object" && label !== null && (label as LabelIn).type === "instructions";

/** The ranking of a label of any type; null where it is none. */
export const rankingOf = (label: unknown): RankingLabel | null =>
  isLabel(label)
    ? {
        type: "instructions",
        order: label.order.map((place) => [...place]),
        wrong: [...(label.wrong ?? [])],
      }
    : null;

/** As many examples as there are keys for. */
export const MOST = 10;

/** The key of the example at a place on the page: 1 to 9, and 0 for the tenth. */
export const keyOfPlace = (index: number): string => String((index + 1) % MOST);
