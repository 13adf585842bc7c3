import type { Catalogue } from "./catalogue";
import { en } from "./en";
import { overrides, rewording } from "./en/texts";
import { language } from "./language";
import { inMedium, type Medium, ofTexts, type Rewording, spokenOf } from "./medium";

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
