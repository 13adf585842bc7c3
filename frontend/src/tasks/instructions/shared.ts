/** Fewer characters in common than this are no sign of anything. */
const LEAST = 24;

/** The part of a text that is its own: what is before and after it, other texts have as well. */
export type Own = { from: number; to: number };

/** How many characters two texts begin with in common, up to the end of a word. */
export function commonStart(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let end = 0;
  while (end < most && a[end] === b[end]) end += 1;
  if (end === a.length && end === b.length) return end;
  return wholeWords(a, b, end);
}

/** Back to where a word ends in both; letters of one word are never told apart. */
function wholeWords(a: string, b: string, end: number): number {
  const isInWord = (text: string, at: number) =>
    at > 0 && at < text.length && isLetter(text, at - 1) && isLetter(text, at);
  let at = end;
  while (at > 0 && (isInWord(a, at) || isInWord(b, at) || isHalf(a, at))) at -= 1;
  return at;
}

const isLetter = (text: string, at: number): boolean => /[\p{L}\p{N}\p{M}]/u.test(text[at] ?? "");
/** Within one of the signs that take two units. */
const isHalf = (text: string, at: number): boolean => /[\uDC00-\uDFFF]/.test(text[at] ?? "");

/** By signs, so that those of two units stay whole. */
const reversed = (text: string): string => [...text].reverse().join("");

/** The same from the end. */
export const commonEnd = (a: string, b: string): number => commonStart(reversed(a), reversed(b));

/**
 * What of each text is its own, beside the one it has most in common with.
 *
 * Null where that is all of it: the texts are no variants of each other.
 */
export function ownParts(texts: readonly string[]): (Own | null)[] {
  return texts.map((text, index) => {
    // Beside one that is the same nothing would be its own, though it is beside the rest.
    const all = texts.filter((_, at) => at !== index);
    const different = all.filter((other) => other !== text);
    const others = different.length > 0 ? different : all;
    const parts = others.map((other) => against(text, other));
    const best = parts.reduce<Own | null>(
      (least, part) => (least === null || lengthOf(part) < lengthOf(least) ? part : least),
      null,
    );
    return best && text.length - lengthOf(best) >= LEAST ? best : null;
  });
}

const lengthOf = ({ from, to }: Own): number => to - from;

function against(text: string, other: string): Own {
  const from = commonStart(text, other);
  const rest = [text.slice(from), other.slice(from)] as const;
  return { from, to: text.length - commonEnd(...rest) };
}
