import { t } from "../strings";
import { formatPercent } from "./format";

/** Of fewer answers or images no share is told: it might be nearly anything. */
export const FEWEST = 20;
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

/** 97.0 % (88–99 %), or that there is too little to say. */
export function formatShare(known: Known | null): string {
  if (known === null) return t.advice.tooFew;
  return t.advice.within(formatPercent(known.value), whole(known.low), whole(known.high));
}

/** A measured share of so many; as it is where nobody counted them, a dash where there is none. */
export function formatMeasured(value: number | null, count: number | null | undefined): string {
  if (value === null || count == null) return formatPercent(value);
  return formatShare(shareOf(value * count, count));
}

/** 0.93 (0.88–0.97), likewise. */
export function formatAuroc(known: Known | null): string {
  if (known === null) return t.advice.tooFew;
  const { value, low, high } = known;
  return t.advice.within(value.toFixed(2), low.toFixed(2), high.toFixed(2));
}

const whole = (share: number): string => `${Math.round(100 * share)}`;
