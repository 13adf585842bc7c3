/** Words and phrases that a search asks for, as the server reads it: without `or`, and what it excludes. */
export function searchedWords(search: string): string[] {
  const parts = search.matchAll(/(-?)(?:"([^"]*)"|([^\s"]+))/g);
  return [...parts].flatMap(([, not, phrase, word]) => {
    const found = (phrase ?? word ?? "").trim();
    return not || found === "" || (word && /^(or|and)$/i.test(word)) ? [] : [found];
  });
}

export type Part = { text: string; at: number; isMarked: boolean };

/** A text in parts, of which those that are one of the words are marked. */
export function partsOf(text: string, words: readonly string[]): Part[] {
  const patterns = words
    .map((word) => word.split(/[^\p{L}\p{N}]+/u).filter(Boolean))
    .filter((word) => word.length > 0)
    .map((word) => word.join("[^\\p{L}\\p{N}]+"));
  if (patterns.length === 0) return [{ text, at: 0, isMarked: false }];
  const either = new RegExp(`(?<![\\p{L}\\p{N}])(${patterns.join("|")})(?![\\p{L}\\p{N}])`, "giu");
  let at = 0;
  return text.split(either).flatMap((part, index) => {
    const found = { text: part, at, isMarked: index % 2 === 1 };
    at += part.length;
    return part === "" ? [] : [found];
  });
}
