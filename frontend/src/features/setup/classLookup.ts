const BETWEEN = /(?<=[\p{L}\p{M}\p{N}])[\s_\u2010-\u2015\u2212-]+(?=[\p{L}\p{M}\p{N}])/gu;

/** The same for names that differ only in how files write them, by the rules of the server. */
export const folded = (name: string): string =>
  name
    .normalize("NFKC")
    // Upper case first: it writes ß as SS, and lower case alone would leave it as it is.
    .toUpperCase()
    .toLowerCase()
    .normalize("NFKC")
    .replace(/\p{Cf}/gu, "")
    .trim()
    .replace(BETWEEN, " ");

/** Whether an import takes a name for one of the classes: exactly, or like one of them alone. */
export function isClass(name: string, classes: ReadonlySet<string>): boolean {
  if (classes.has(name) || classes.has(name.normalize("NFC").trim())) return true;
  const wanted = folded(name);
  return [...classes].filter((one) => folded(one) === wanted).length === 1;
}
