import { t } from "../strings";
import { locale } from "../strings/language";

const { units } = t.common;
const dateFormat = new Intl.DateTimeFormat(locale, { dateStyle: "medium" });
const dateTimeFormat = new Intl.DateTimeFormat(locale, {
  dateStyle: "medium",
  timeStyle: "short",
});
const timeFormat = new Intl.DateTimeFormat(locale, { timeStyle: "medium" });

export const formatDate = (iso: string): string => dateFormat.format(new Date(iso));

export const formatDateTime = (iso: string): string => dateTimeFormat.format(new Date(iso));

export const formatTime = (iso: string): string => timeFormat.format(new Date(iso));

export const formatCount = (value: number): string => value.toLocaleString(locale);

const listFormat = new Intl.ListFormat(locale, { type: "disjunction" });

/** Names of which one is enough: Ada, Ben or Mina. */
export const formatNames = (names: readonly string[]): string => listFormat.format(names);

/** Costs may be whole answers or seconds. */
export const formatCost = (value: number): string =>
  value.toLocaleString(locale, { maximumFractionDigits: 1 });

/** The largest budget there is stands for none: such a round ends with its queue. */
export const hasEnd = (budget: number): boolean => budget < 1e9;

/** What sums of fractions may add to a share or take from it. */
const NOTHING = 1e-9;

/** A share of 1 or of 100, with more digits where it would read as none or all and is neither. */
export function neverRound(share: number, of: 1 | 100, digits: number): string {
  const told = (of * share).toFixed(digits);
  const isBetween = share > NOTHING && share < 1 - NOTHING;
  return isBetween && Number(told) % of === 0 ? neverRound(share, of, digits + 1) : told;
}

export const formatPercent = (share: number | null): string =>
  share === null ? "–" : units.percent(neverRound(share, 100, 1));

/** A share to the nearest percent: 46 %. */
export const formatWholePercent = (share: number): string =>
  units.percent(neverRound(share, 100, 0));

/** What a model is sure of, which never is all or nothing: over 99 %, or over 99.9 % with a digit. */
export function formatChance(chance: number | null, digits = 0): string {
  if (chance === null) return "–";
  const percent = 100 * chance;
  const least = 10 ** -digits;
  if (percent > 100 - least) return units.over(units.percent((100 - least).toFixed(digits)));
  if (percent < least) return units.under(units.percent(least.toFixed(digits)));
  return units.percent(percent.toFixed(digits));
}

/** The same as a number of percent, where there is room for no word more: 99 for 0.997. */
export const chanceOf100 = (chance: number): number =>
  Math.min(99, Math.max(1, Math.round(100 * chance)));

/** Seconds as people say them: 16 ms, 0.4 s, 2 min 5 s, 1 h 10 min. */
export function formatSeconds(seconds: number): string {
  if (seconds === 0) return units.seconds("0");
  if (seconds < 0.1) return units.milliseconds(`${Math.max(1, Math.round(1000 * seconds))}`);
  if (seconds < 10) return units.seconds(seconds.toFixed(1));
  const whole = Math.round(seconds);
  if (whole < 60) return units.seconds(`${whole}`);
  const minutes = Math.floor(whole / 60);
  if (minutes >= 60) return units.hours(Math.floor(minutes / 60), minutes % 60);
  return units.minutes(minutes, whole % 60);
}

/** A guess, as people say it: less than a minute, about 4 minutes, about 1.5 hours. */
export function formatAbout(seconds: number): string {
  if (seconds < 50) return units.about.moment;
  const minutes = Math.round(seconds / 60);
  if (minutes < 90) return units.about.minutes(minutes);
  const hours = seconds / 3600;
  if (hours < 36) return units.about.hours(hours.toFixed(1));
  return units.about.days((hours / 24).toFixed(1));
}

/** Memory, in the units it is sold in: 640 MiB, 1.2 GiB. */
export const formatMemory = (bytes: number): string =>
  bytes < 2 ** 30 ? `${Math.round(bytes / 2 ** 20)} MiB` : `${(bytes / 2 ** 30).toFixed(1)} GiB`;

export function formatBytes(bytes: number): string {
  const units = ["B", "KB", "MB", "GB", "TB"];
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${value.toFixed(value < 10 && unit > 0 ? 1 : 0)} ${units[unit]}`;
}
