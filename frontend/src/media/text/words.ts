/** What to look for in texts: a word or a phrase, or what only begins so. */
export type Sought = { word: string; begins: boolean };

/**
 * Words and phrases that a search asks for, as the server reads it: without `or`, and what it excludes.
 * Longer words that begin so are meant too, unless the search quotes anything.
 */
export function searchedWords(search: string): Sought[] {
  const begins = !search.includes('"');
  const parts = search.matchAll(/(-?)(?:"([^"]*)"|([^\s"]+))/g);
  return [...parts].flatMap(([, not, phrase, word]) => {
    const found = (phrase ?? word ?? "").trim();
    return not || found === "" || (word && /^(or|and)$/i.test(word))
      ? []
      : [{ word: found, begins }];
  });
}

export type Part = { text: string; at: number; isMarked: boolean };

/** A text in parts, of which those that are one of the words are marked. */
export function partsOf(text: string, words: readonly Sought[]): Part[] {
  const patterns = words.flatMap(({ word, begins }) => {
    const parts = word.split(/[^\p{L}\p{N}]+/u).filter(Boolean);
    const ending = begins ? "[\\p{L}\\p{N}]*" : "";
    return parts.length > 0 ? [parts.join("[^\\p{L}\\p{N}]+") + ending] : [];
  });
  if (patterns.length === 0) return [{ text, at: 0, isMarked: false }];
  const either = new RegExp(`(?<![\\p{L}\\p{N}])(${patterns.join("|")})(?![\\p{L}\\p{N}])`, "giu");
  let at = 0;
  return text.split(either).flatMap((part, index) => {
    const found = { text: part, at, isMarked: index % 2 === 1 };
    at += part.length;
    return part === "" ? [] : [found];
  });
}
