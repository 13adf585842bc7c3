/** What the examples of a project are. */
export type Medium = "image" | "text";

let spoken: Medium = "image";

/**
 * Say everything about examples of a medium from now on.
 *
 * A page is about one project, and every sentence on it about what that holds: so this is said once
 * a page, as the language is, and not handed to each of its parts.
 */
export function speakOf(medium: Medium): void {
  spoken = medium;
}

export const spokenOf = (): Medium => spoken;

/** Two catalogues as one: each string is that of the medium that is spoken of when it is read. */
export function inMedium<T extends object>(images: T, texts: T): T {
  const both = Array.isArray(images) ? [] : {};
  for (const key of Object.keys(images) as (keyof T)[]) {
    const [image, text] = [images[key], texts[key]];
    const isPart = typeof image === "object" && image !== null;
    const part = isPart ? inMedium(image as object, text as object) : null;
    Object.defineProperty(both, key, {
      enumerable: true,
      get: () => part ?? (spoken === "text" ? text : image),
    });
  }
  return both as T;
}

/** Words of a language for images, and how each is said of texts. */
export type Rewording = { pattern: RegExp; say: (found: string) => string };

/** Other strings in place of some of a catalogue's. */
export type Overrides<T> = T extends string
  ? string
  : T extends (...values: infer Values) => infer Result
    ? (...values: Values) => Result
    : { [Key in keyof T]?: Overrides<T[Key]> };

/** A catalogue about images, said of texts: with some strings of its own, the others reworded. */
export function ofTexts<T extends object>(
  images: T,
  rewording: Rewording,
  overrides: Overrides<T>,
): T {
  return reworded(images, rewording, overrides) as T;
}

function reworded(value: unknown, rewording: Rewording, override: unknown): unknown {
  if (typeof value === "function" || typeof value === "string") {
    if (override !== undefined) return override;
    if (typeof value === "string") return said(value, rewording, []);
    return (...given: unknown[]) => resultOf(value(...given), rewording, given);
  }
  if (typeof value !== "object" || value === null) return override ?? value;
  const others = (override ?? {}) as Record<string, unknown>;
  const parts = Object.entries(value).map(
    ([key, part]) => [key, reworded(part, rewording, others[key])] as const,
  );
  return Array.isArray(value) ? parts.map(([, part]) => part) : Object.fromEntries(parts);
}

const resultOf = (result: unknown, rewording: Rewording, given: unknown[]): unknown =>
  typeof result === "string"
    ? said(result, rewording, given)
    : reworded(result, rewording, undefined);

/** A sentence about texts; names that were put into it stay, whatever they are. */
function said(sentence: string, { pattern, say }: Rewording, given: unknown[]): string {
  const names = given.flat(2).filter((one) => typeof one === "string" && isIn(pattern, one));
  if (names.length === 0) return sentence.replace(pattern, say);
  const kept = (names as string[]).map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const isName = (found: string) => names.some((name) => same(name as string, found));
  const either = new RegExp(`${kept.join("|")}|${pattern.source}`, pattern.flags);
  return sentence.replace(either, (found) => (isName(found) ? found : say(found)));
}

const same = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

const isIn = (pattern: RegExp, text: string): boolean => new RegExp(pattern, "iu").test(text);
