import type { Overrides, Rewording } from "../medium";
import type { en } from ".";

/** What is said of images, said of texts. */
export const rewording: Rewording = {
  pattern: /\b(?:an (?:evaluation )?)?(?:images?|pictures?|photographs?)\b/giu,
  say: (found) => {
    const isMany = /s$/i.test(found);
    const isFirst = /^[A-Z]/.test(found);
    const article = /^an evaluation /i.test(found) ? "an evaluation " : /^an /i.test(found) ? "a " : "";
    const words = `${article}${isMany ? "texts" : "text"}`;
    return isFirst ? words.charAt(0).toUpperCase() + words.slice(1) : words;
  },
};

/** Sentences that say something else of texts than of images. */
export const overrides: Overrides<typeof en> = {};
