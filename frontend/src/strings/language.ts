import { keepChoice, readChoice } from "./stored";

/** The languages there is a catalogue for, each by its own name. */
export const LANGUAGES = { en: "English", ko: "한국어" } as const;

export type Language = keyof typeof LANGUAGES;

const KEY = "karat.language";

const isLanguage = (value: string | null): value is Language =>
  value !== null && Object.hasOwn(LANGUAGES, value);

/** The language this browser was told to use; null when it follows the browser's own. */
function chosenLanguage(): Language | null {
  const stored = readChoice(KEY);
  return isLanguage(stored) ? stored : null;
}

/** Use a language from the next load of the page on. */
export const chooseLanguage = (choice: Language): void => keepChoice(KEY, choice);

/** The first of the reader's languages that there is a catalogue for; English if there is none. */
export function preferredLanguage(languages: readonly string[]): Language {
  for (const tag of languages) {
    const [base = ""] = tag.toLowerCase().split("-");
    if (isLanguage(base)) return base;
  }
  return "en";
}

export const language: Language = chosenLanguage() ?? preferredLanguage(navigator.languages);

/** How dates and numbers are written: the reader's region where it goes with the language. */
export const locale: string =
  navigator.languages.find((tag) => tag.toLowerCase().split("-")[0] === language) ?? language;
