/** What a field that came with the examples has to be, as addresses and the API write it. */
export type FieldCondition = {
  name: string;
  /** Empty if it has to be there, `!` if it must not. */
  sign: "" | "!" | "=" | "<" | "<=" | ">" | ">=";
  value: string;
  /** As it was written, if it was: text in quotes is no number. */
  written?: string;
};

const QUOTED = String.raw`"(?:[^"\\]|\\.)*"`;
const NAME = String.raw`[^"!<>=\s](?:[^<>=]*[^!<>=\s])?`;
const VALUE = String.raw`[^"\s](?:.*\S)?`;
const CONDITION = new RegExp(
  String.raw`^\s*(!\s*)?(${QUOTED}|${NAME})\s*(?:(<=|>=|<|>|=)\s*(${QUOTED}|${VALUE})\s*)?$`,
  "s",
);
const PLAIN_NAME = new RegExp(`^${NAME}$`, "s");
const PLAIN_VALUE = new RegExp(`^${VALUE}$`, "s");

/** The parts of a condition; null of a text that is none. */
export function readCondition(text: string): FieldCondition | null {
  const [, lacks, name, sign = "", value = ""] = CONDITION.exec(text) ?? [];
  if (!name || name === '""' || (lacks && sign)) return null;
  try {
    return {
      name: unquoted(name),
      sign: lacks ? "!" : (sign as FieldCondition["sign"]),
      value: unquoted(value),
      written: text,
    };
  } catch {
    return null;
  }
}

export function writeCondition({ name, sign, value, written }: FieldCondition): string {
  if (written !== undefined) return written;
  const named = PLAIN_NAME.test(name) ? name : JSON.stringify(name);
  if (sign === "!") return `!${named}`;
  if (sign === "") return named;
  return `${named}${sign}${PLAIN_VALUE.test(value) ? value : JSON.stringify(value)}`;
}

export const readConditions = (texts: readonly string[]): FieldCondition[] =>
  texts.map(readCondition).filter((one) => one !== null);

/** The conditions with another value of a sign of a field; without one if it is empty. */
export function withBound(
  conditions: readonly FieldCondition[],
  { name, sign, value }: FieldCondition,
): FieldCondition[] {
  const others = conditions.filter((one) => one.name !== name || one.sign !== sign);
  return value.trim() === "" ? others : [...others, { name, sign, value: value.trim() }];
}

/** Whether values such as this one have an order that people ask by: numbers, dates and times. */
export const isOrdered = (value: string): boolean =>
  /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$|^\d{4}-\d{2}/i.test(value);

const unquoted = (text: string): string =>
  text.startsWith('"') ? (JSON.parse(text) as string) : text;
