import { keepChoice, readChoice } from "../strings/stored";

/** Light, dark, or null: as the system is set. */
export type Theme = "light" | "dark";

const KEY = "karat.theme";

/** What this browser was told to use; public/theme.js applies it before the first paint. */
export function chosenTheme(): Theme | null {
  const stored = readChoice(KEY);
  return stored === "light" || stored === "dark" ? stored : null;
}

export function chooseTheme(theme: Theme | null): void {
  document.documentElement.dataset.theme = theme ?? "";
  keepChoice(KEY, theme);
}
