import { en } from "./en";
import { overrides, rewording } from "./en/texts";
import { language } from "./language";
import { inMedium, type Medium, ofTexts, type Rewording, spokenOf } from "./medium";

/** The same shape with strings of any wording. */
type Worded<T> = T extends string
  ? string
  : T extends (...values: infer Values) => infer Result
    ? (...values: Values) => Worded<Result>
    : { [Key in keyof T]: Worded<T[Key]> };

/** Every string a user reads; each language has a catalogue of this shape. */
export type Catalogue = Worded<typeof en>;

const english: Record<Medium, Catalogue> = {
  image: en,
  text: ofTexts<Catalogue>(en, rewording, overrides),
};

let rewords: Rewording = rewording;

/** What says images wherever it is read, such as the name of an algorithm, for the medium of the page. */
export const inWords = (sentence: string): string =>
  spokenOf() === "text" ? sentence.replace(rewords.pattern, rewords.say) : sentence;

/** The catalogue for each medium, for a page that tells of several. */
export let words: Record<Medium, Catalogue> = english;

/** The catalogue for the medium of the page, see `speakOf`. */
export let t: Catalogue = inMedium(english.image, english.text);

/**
 * Get the catalogue of the language in use. Nothing that reads strings may be loaded before: modules
 * keep what they took from it. English stands in when it does not arrive.
 */
export async function loadCatalogue(): Promise<void> {
  if (language !== "ko") return;
  const korean = await import("./ko").catch(() => null);
  if (!korean) return;
  words = { image: korean.ko, text: korean.texts };
  rewords = korean.rewording;
  t = inMedium(words.image, words.text);
}
