import { language } from "./language";

/** What the catalog of algorithms says in English, and the same in the language in use. */
export type AlgorithmWords = Readonly<Record<string, string>>;

/**
 * Get the words for the catalog of algorithms, when a page has some of it to show. Null where English
 * stays: in English, and where they do not arrive.
 */
export async function loadAlgorithmWords(): Promise<AlgorithmWords | null> {
  if (language === "en") return null;
  return import("./ko/catalog.json").then((file) => file.default).catch(() => null);
}
