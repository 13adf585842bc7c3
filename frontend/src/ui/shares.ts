import { t } from "../strings";
import { formatPercent, neverRound } from "./format";

/** Of fewer answers or images no share is told: it might be nearly anything. */
export const FEWEST = 20;
const { units } = t.common;
const Z95 = 1.959964;

/** A share, or another measure in 0..1, and the ends of its 95 % interval. */
export type Known = { value: number; low: number; high: number };

/** The share of so many, by Wilson's interval; null of too few. */
export function shareOf(hits: number, count: number): Known | null {
  if (count < FEWEST) return null;
  const value = hits / count;
  const square = Z95 ** 2 / count;
  const centre = (value + square / 2) / (1 + square);
  const half =
    (Z95 * Math.sqrt((value * (1 - value)) / count + square / (4 * count))) / (1 + square);
  return {
    value,
    low: Math.max(0, Math.min(value, centre - half)),
    high: Math.min(1, Math.max(value, centre + half)),
  };
}

/** The area under a ROC curve of so many of either kind, by the error of Hanley and McNeil. */
export function aurocOf(value: number, inside: number, ood: number): Known | null {
  const least = Math.min(inside, ood);
  if (inside + ood < FEWEST || least === 0) return null;
  // Nobody is known to tell all apart because a few were.
  const smooth = (value * least + 0.5) / (least + 1);
  const first = smooth / (2 - smooth) - smooth ** 2;
  const second = (2 * smooth ** 2) / (1 + smooth) - smooth ** 2;
  const variance = smooth * (1 - smooth) + (inside - 1) * first + (ood - 1) * second;
  const half = Z95 * Math.sqrt(Math.max(0, variance) / (inside * ood));
  return {
    value,
    low: Math.min(value, Math.max(0, smooth - half)),
    high: Math.max(value, Math.min(1, smooth + half)),
  };
}

/** From where to where shares are, in percent: rounded outwards, as finely as tells the ends apart. */
export function endsOf(low: number, high: number): [low: string, high: string] {
  const fine = 10 ** digitsOf(low, high);
  // Not by what binary fractions add to it: 0.07 of 100 are 7.
  const [down, up] = [Math.floor(100 * fine * low + 1e-6), Math.ceil(100 * fine * high - 1e-6)];
  return [`${down / fine}`, `${up / fine}`];
}

/** Digits of percent, by how far apart the ends are. */
const digitsOf = (low: number, high: number): number =>
  high - low >= 0.02 ? 0 : high - low >= 0.002 ? 1 : 2;

/** A share and the ends of its interval, in percent without the sign, so that it is read within them. */
export const of100Within = (
  share: number,
  low: number,
  high: number,
  digits = 0,
): [share: string, low: string, high: string] => [
  neverRound(share, 100, Math.max(digits, digitsOf(low, high))),
  ...endsOf(low, high),
];

/** The ends with the sign, as sentences have them. */
export function percentEnds(low: number, high: number): [low: string, high: string] {
  const [least, most] = endsOf(low, high);
  return [units.percent(least), units.percent(most)];
}

/** A share and the ends of its interval, likewise. */
export const percentsOf = (
  share: number,
  low: number,
  high: number,
): [share: string, low: string, high: string] => [
  units.percent(of100Within(share, low, high)[0]),
  ...percentEnds(low, high),
];

/** 97.0 % (88–99), or that there is too little to say. */
export function formatShare(known: Known | null): string {
  if (known === null) return t.advice.tooFew;
  const [value, low, high] = of100Within(known.value, known.low, known.high, 1);
  return t.advice.within(units.percent(value), low, high);
}

/** A measured share of so many; as it is where nobody counted them, a dash where there is none. */
export function formatMeasured(value: number | null, count: number | null | undefined): string {
  if (value === null || count == null) return formatPercent(value);
  return formatShare(shareOf(value * count, count));
}

/** 0.93 (0.88–0.97), likewise. */
export function formatAuroc(known: Known | null): string {
  if (known === null) return t.advice.tooFew;
  const digits = 2 + digitsOf(known.low, known.high);
  const [low, high] = endsOf(known.low, known.high);
  const outOf1 = (end: string) => (Number(end) / 100).toFixed(digits);
  return t.advice.within(neverRound(known.value, 1, digits), outOf1(low), outOf1(high));
}
