import type { en } from "./en";

/** The same shape with strings of any wording. */
type Worded<T> = T extends string
  ? string
  : T extends (...values: infer Values) => infer Result
    ? (...values: Values) => Worded<Result>
    : { [Key in keyof T]: Worded<T[Key]> };

/** Every string a user reads; each language has a catalogue of this shape. */
export type Catalogue = Worded<typeof en>;
