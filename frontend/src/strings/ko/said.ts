import sentences from "./sentences.json";

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** English with `{}` for what varies; `{0}` in the Korean is the first of these. */
const known = Object.entries(sentences).map(([english, korean]) => ({
  pattern: new RegExp(`^${escaped(english).replaceAll("\\{\\}", "(.+)")}$`, "s"),
  korean,
  // In these what varies is a sentence in turn: why another score stands in.
  hasReason: / stands in\.$|^\{\}: |^This needs |^\{\}; |^\{\} \(there is|\. Write names/.test(
    english,
  ),
}));

/** What is longer is an error of some library; to look for ours in it would take seconds. */
const LONGEST = 500;

/** Sentences are written of images, and said of texts where a project holds those. */
const ofImages = (sentence: string): string =>
  sentence.replace(/\ba text\b/g, "an image").replace(/\btext(s?)\b/g, "image$1");

function korean(sentence: string): string | undefined {
  for (const { pattern, korean, hasReason } of known) {
    const found = pattern.exec(sentence);
    if (!found) continue;
    return korean.replace(/\{(\d)\}/g, (_, place) => {
      const varying = found[Number(place) + 1] ?? "";
      return hasReason ? said(varying) : varying;
    });
  }
  return undefined;
}

/** What the server says in English; as it is where there is no Korean for it. */
export function said(sentence: string): string {
  if (sentence.length > LONGEST) return sentence;
  return korean(sentence) ?? korean(ofImages(sentence)) ?? sentence;
}
