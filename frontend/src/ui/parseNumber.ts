/** Groups of three after the first digits, as the pages themselves print large numbers. */
const GROUPED = /^\s*-?[1-9]\d{0,2}(,\d{3})+(\.\d*)?\s*$/;

/** The number that somebody typed; NaN of what is none. Another comma than those is a decimal one. */
export function parseNumber(text: string): number {
  return Number(GROUPED.test(text) ? text.replaceAll(",", "") : text.replace(",", "."));
}
