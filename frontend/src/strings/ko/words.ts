export const number = (value: number): string => value.toLocaleString("ko-KR");

/** The sound that a word ends in, by its syllable or digit; null for other scripts. */
function endingOf(word: string): "vowel" | "ㄹ" | "consonant" | null {
  const last = word.trim().at(-1) ?? "";
  if (/[178]/.test(last)) return "ㄹ";
  if (/[0-9]/.test(last)) return "036".includes(last) ? "consonant" : "vowel";
  if (last < "가" || last > "힣") return null;
  const final = (last.charCodeAt(0) - "가".charCodeAt(0)) % 28;
  return final === 0 ? "vowel" : final === 8 ? "ㄹ" : "consonant";
}

/** A word with its particle, such as 을/를; both where the sound of the word is not known. */
export function particle(word: string, afterConsonant: string, afterVowel: string): string {
  const ending = endingOf(word);
  if (ending === null) return `${word}${either(afterConsonant, afterVowel)}`;
  // 로 alone stands behind ㄹ as behind a vowel.
  const isShort = ending === "vowel" || (ending === "ㄹ" && afterVowel === "로");
  return word + (isShort ? afterVowel : afterConsonant);
}

/** 을(를), and (으)로 where one is the end of the other. */
const either = (afterConsonant: string, afterVowel: string): string =>
  afterConsonant.endsWith(afterVowel)
    ? `(${afterConsonant.slice(0, -afterVowel.length)})${afterVowel}`
    : `${afterConsonant}(${afterVowel})`;
