import type { ShownExample } from "../../api/results";
import { formatCount, formatPercent } from "../../ui/format";

/** A number with three digits that count, whatever its size: 0.0123, 4.56, 1,234. */
function short(value: number): string {
  const size = Math.abs(value);
  if (size >= 100) return formatCount(Math.round(value));
  if (size > 0 && size < 0.001) return value.toExponential(0);
  return String(Number(value.toPrecision(2)));
}

/** What is known of an example in a subset, by name: what is missing is left out. */
export function factsOf(example: ShownExample): [string, string][] {
  const { rank, gain, confidence, loss, reasons = {} } = example;
  const facts: [string, string][] = [];
  if (rank != null) facts.push(["rank", formatCount(rank)]);
  if (gain != null) facts.push(["gain", short(gain)]);
  if (confidence != null) facts.push(["confidence", formatPercent(confidence)]);
  for (const [name, value] of Object.entries({ ...reasons, loss })) {
    facts.push([name, short(value)]);
  }
  return facts;
}
