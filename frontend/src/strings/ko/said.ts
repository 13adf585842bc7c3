import sentences from "./sentences.json";

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** English with `{}` for what varies; `{0}` in the Korean is the first of these. */
const known = Object.entries(sentences).map(([english, korean]) => ({
  pattern: new RegExp(`^${escaped(english).replaceAll("\\{\\}", "(.+)")}$`, "s"),
  korean,
}));

/** What the server says in English; as it is where there is no Korean for it. */
export function said(sentence: string): string {
  for (const { pattern, korean } of known) {
    const found = pattern.exec(sentence);
    // What varies may be a sentence in turn: why another score stands in.
    if (found)
      return korean.replace(/\{(\d)\}/g, (_, place) => said(found[Number(place) + 1] ?? ""));
  }
  return sentence;
}
