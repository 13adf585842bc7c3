import { locale } from "../strings/language";

/** An amount in whatever currency the prices are in; what costs next to nothing is not nothing. */
export const formatMoney = (amount: number): string =>
  amount > 0 && amount < 0.01
    ? `< ${(0.01).toLocaleString(locale, { minimumFractionDigits: 2 })}`
    : amount.toLocaleString(locale, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
