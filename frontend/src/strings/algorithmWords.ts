import koreanWords from "./ko/catalog.json?url";
import { language } from "./language";

/** What the catalog of algorithms says in English, and the same in the language in use. */
export type AlgorithmWords = Readonly<Record<string, string>>;

/**
 * Get the words for the catalog of algorithms, when a page has some of it to show; null in English.
 *
 * A file that is fetched: of a module that failed to load browsers keep the failure.
 */
export async function loadAlgorithmWords(): Promise<AlgorithmWords | null> {
  if (language === "en") return null;
  const answer = await fetch(koreanWords);
  if (!answer.ok) throw new Error(`${koreanWords}: ${answer.status}`);
  return answer.json();
}
