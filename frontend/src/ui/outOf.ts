import { t } from "../strings";
import { locale } from "../strings/language";

/** Of a share, how many of 100 that is at most: rounded up, so that nothing is promised that does not hold. */
export const highOf = (share: number): string => tenths(Math.ceil(1000 * share - 1e-6));
/** About how many of 100. */
export const aboutOf = (share: number): string => tenths(Math.round(1000 * share));

/** The same to be changed in a field: as it is, without what binary fractions add to it. */
export const of100 = (share: number): number => Math.round(1e6 * share) / 1e4;

const tenths = (value: number): string =>
  (value / 10).toLocaleString(locale, { maximumFractionDigits: 1 });

/** A confidence as people say it: 0.95 as 95 %. Rounded down, so that only certainty is 100 %. */
export const sureOf = (confidence: number): string =>
  t.common.units.percent((Math.floor(1e4 * confidence + 1e-6) / 100).toLocaleString(locale));
