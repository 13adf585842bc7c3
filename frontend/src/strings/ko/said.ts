import refusals from "./refusals.json";
import { rewording } from "./rewording";
import notes from "./sentences.json";
import { particle } from "./words";

const sentences: Readonly<Record<string, string>> = { ...notes, ...refusals };

type Known = { pattern: RegExp; korean: string; hasReason: boolean };

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** English with `{}` for what varies; `{0}` in the Korean is the first of these. */
const entry = ([english, korean]: readonly [string, string]): Known => ({
  pattern: new RegExp(
    `^${escaped(english)
      // The number of a box ends where the reason begins.
      .replace(/(box|line) \\\{\\\}/g, "$1 (\\d+)")
      .replaceAll("\\{\\}", "(.+)")}$`,
    "s",
  ),
  korean,
  // In these what varies is a sentence in turn: why another score stands in.
  hasReason:
    / stands in\.$|^a label is not taken: |^a prediction is left aside: |^Told apart by \{\}, |^\{\}: |^This needs |^\{\}; |^This is no location|^\{\} \(there is|\. Write names/.test(
      english,
    ),
});

const known = Object.entries(sentences).map(entry);

/** The same sentences as the server says them of texts (`core/media/nouns.py`). */
let ofTexts: Known[] | null = null;

const saidOfTexts = (): Known[] =>
  Object.entries(sentences)
    .map(([english, korean]) => [inEnglish(english), inKorean(korean)] as const)
    .filter(([english]) => !(english in sentences))
    .map(entry);

const inEnglish = (english: string): string =>
  english.replace(/\b(an )?(image|picture)(s?)\b/gi, (found, an = "", _, many) => {
    const words = `${an && "a "}text${many}`;
    return /^[A-Z]/.test(found) ? words.charAt(0).toUpperCase() + words.slice(1) : words;
  });

const inKorean = (korean: string): string => korean.replace(rewording.pattern, rewording.say);

/** What is longer is an error of some library; to look for ours in it would take seconds. */
const LONGEST = 500;

/** What the server says in English; as it is where there is no Korean for it. */
export function said(sentence: string): string {
  if (sentence.length > LONGEST) return sentence;
  const found = among(known, sentence);
  if (found !== null || !/\btexts?\b/i.test(sentence)) return found ?? sentence;
  ofTexts ??= saidOfTexts();
  return among(ofTexts, sentence) ?? sentence;
}

/** After a consonant, and after a vowel. */
const PARTICLES: readonly (readonly [string, string])[] = [
  ["이", "가"],
  ["은", "는"],
  ["을", "를"],
  ["과", "와"],
  ["으로", "로"],
];

/** What varies, and the particle behind it, in whichever form: what it comes behind says which it is. */
const VARYING =
  /\{(\d)\}((?:(?:이|가|은|는|을|를|과|와)(?:\([가-힣]\))?|(?:\(으\))?로)(?![가-힣(]))?/g;

function among(some: Known[], sentence: string): string | null {
  for (const { pattern, korean, hasReason } of some) {
    const found = pattern.exec(sentence);
    if (!found) continue;
    return korean.replace(VARYING, (_, place: string, particles = "") => {
      const varying = found[Number(place) + 1] ?? "";
      const told = hasReason ? said(varying) : varying;
      const first = /[가-힣]/.exec(particles)?.[0];
      const pair = first && PARTICLES.find((one) => one.join().includes(first));
      return pair ? particle(told, ...pair) : told;
    });
  }
  return null;
}
