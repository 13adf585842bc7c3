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

/** The next of 1, 2, 5, 10, 20 and so on, also below 1. */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 5, 10].find((factor) => factor * power >= value) ?? 10) * power;
}

/**
 * Round numbers that cover [low, high], about `count` of them. Beside a single value there is room: it
 * would be an axis without a scale.
 *
 * Not those of d3-array: it rounds the step to the nearest, which gives up to twice as many, and the
 * ends of a short axis would lie on none.
 */
export function ticks(low: number, high: number, count = 5): number[] {
  const span = high - low || Math.abs(high) || 1;
  const step = roundUp(span / count);
  let first = Math.floor(low / step + 1e-9);
  let last = Math.ceil(high / step - 1e-9);
  if (first === last) {
    // Nothing is less than nothing, and no share is more than all.
    if (first !== 0) first -= 1;
    if (high > 1 || (last + 1) * step <= 1) last += 1;
  }
  return Array.from({ length: last - first + 1 }, (_, index) => {
    const value = (first + index) * step;
    return Number(value.toPrecision(12));
  });
}

/** Whole numbers of [first, last] from the first on, in round steps of at least `least`. */
export function steps(first: number, last: number, least: number): number[] {
  const step = roundUp(Math.min(Math.max(1, least), last - first + 1));
  return Array.from(
    { length: Math.floor((last - first) / step) + 1 },
    (_, at) => first + at * step,
  );
}

/** The one of `xs` that is nearest to a place at most a half beyond them; null elsewhere. */
export function nearest(xs: number[], place: number): number | null {
  const [first, last] = [xs[0], xs.at(-1)];
  if (first === undefined || last === undefined) return null;
  if (place < first - 0.5 || place > last + 0.5) return null;
  return xs.reduce((best, x) => (Math.abs(x - place) < Math.abs(best - place) ? x : best), first);
}

/** Points in a row, cut where one is missing between two of them. */
export function stretches<T extends { x: number }>(points: T[]): T[][] {
  const found: T[][] = [];
  for (const point of points) {
    const last = found.at(-1);
    const before = last?.at(-1);
    if (last && before && point.x - before.x <= 1) last.push(point);
    else found.push([point]);
  }
  return found;
}
