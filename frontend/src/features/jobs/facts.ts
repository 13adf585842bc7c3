import type { ShownExample } from "../../api/results";
import { formatCount, formatPercent } from "../../ui/format";

/** A number with two digits that count, whatever its size: 0.012, 4.6, 1,234; as long as others. */
function short(value: number): string {
  const size = Math.abs(value);
  const sign = value < 0 ? "−" : "";
  if (Math.round(size) >= 100) return sign + formatCount(Math.round(size));
  if (size > 0 && size < 0.001) return sign + size.toExponential(0);
  return sign + size.toPrecision(2);
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
