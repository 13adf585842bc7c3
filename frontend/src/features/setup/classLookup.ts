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

const counted = new WeakMap<ReadonlySet<string>, ReadonlyMap<string, number>>();

/** How many of `classes` are the same but for how they are written, once for each set of them. */
function alikeIn(classes: ReadonlySet<string>): ReadonlyMap<string, number> {
  const known = counted.get(classes);
  if (known) return known;
  const counts = new Map<string, number>();
  for (const name of [...classes].map(folded)) counts.set(name, (counts.get(name) ?? 0) + 1);
  counted.set(classes, counts);
  return counts;
}

/** Whether an import takes a name for one of the classes, a set that stays as it is: exactly, or like one of them alone. */
export function isClass(name: string, classes: ReadonlySet<string>): boolean {
  if (classes.has(name) || classes.has(name.normalize("NFC").trim())) return true;
  return alikeIn(classes).get(folded(name)) === 1;
}
