/**
 * Words for ticks, with the digits of the step between them: no two of them read the same.
 */
export function tickLabels(values: number[], locale: string): string[] {
  const most = Math.max(...values.map(Math.abs));
  const step = Math.abs((values[1] ?? 2 * most) - (values[0] ?? 0)) || 1;
  const place = powerOf(step);
  const short = most < 1e-3 || most >= 1e6;
  return values.map((value) => {
    if (short && value !== 0) return value.toExponential(Math.max(0, powerOf(value) - place));
    const digits = short ? 0 : Math.max(0, -place);
    return value.toLocaleString(locale, {
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
    });
  });
}

/** Of the first digit: 2 for 250, -2 for 0.05. */
const powerOf = (value: number): number =>
  Math.floor(Math.log10(Math.abs(Number(value.toPrecision(12)))) + 1e-9);

/** Round numbers that cover [low, high], about `count` of them and `least` apart. */
export function ticks(low: number, high: number, count = 5, least = 0): number[] {
  const span = high - low || Math.abs(high) || 1;
  const rough = span / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const round = ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power;
  const step = Math.max(round, least);
  const first = Math.floor(low / step + 1e-9);
  const last = Math.ceil(high / step - 1e-9);
  return Array.from({ length: last - first + 1 }, (_, index) => {
    const value = (first + index) * step;
    return Number(value.toPrecision(12));
  });
}
