import type { LabelClass } from "../api/types";

const fold = (text: string): string => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();

/** Classes whose name has what was typed: at its beginning, then at that of a word, then anywhere. */
export function matching(classes: LabelClass[], typed: string): LabelClass[] {
  const wanted = fold(typed.trim());
  if (!wanted) return classes;
  const rank = ({ name }: LabelClass): number => {
    const at = fold(name).indexOf(wanted);
    if (at <= 0) return at === 0 ? 0 : 3;
    return /[\s_\-/]/.test(fold(name).charAt(at - 1)) ? 1 : 2;
  };
  return classes
    .map((item) => ({ item, place: rank(item) }))
    .filter(({ place }) => place < 3)
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item);
}
