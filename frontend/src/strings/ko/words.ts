export const number = (value: number): string => value.toLocaleString("ko-KR");

/** Whether the last sound of a word is a consonant, by its syllable or digit; null for other scripts. */
function endsInConsonant(word: string): boolean | null {
  const last = word.trim().at(-1) ?? "";
  if (/[0-9]/.test(last)) return "013678".includes(last);
  if (last < "가" || last > "힣") return null;
  return (last.charCodeAt(0) - "가".charCodeAt(0)) % 28 !== 0;
}

/** A word with its particle, such as 을/를; both where the sound of the word is not known. */
export function particle(word: string, afterConsonant: string, afterVowel: string): string {
  const consonant = endsInConsonant(word);
  if (consonant === null) return `${word}${afterConsonant}(${afterVowel})`;
  return word + (consonant ? afterConsonant : afterVowel);
}
