import { en } from "./en";
import { language } from "./language";

/** The same shape with strings of any wording. */
type Worded<T> = T extends string
  ? string
  : T extends (...values: infer Values) => infer Result
    ? (...values: Values) => Worded<Result>
    : { [Key in keyof T]: Worded<T[Key]> };

/** Every string a user reads; each language has a catalogue of this shape. */
export type Catalogue = Worded<typeof en>;

export let t: Catalogue = en;

/**
 * Get the catalogue of the language in use. Nothing that reads strings may be loaded before: modules
 * keep what they took from it. English stands in when it does not arrive.
 */
export async function loadCatalogue(): Promise<void> {
  if (language === "ko") t = await import("./ko").then(({ ko }) => ko).catch(() => en);
}
