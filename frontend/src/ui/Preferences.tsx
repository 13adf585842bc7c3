import { useState } from "react";
import { t } from "../strings";
import { chooseLanguage, LANGUAGES, type Language, language } from "../strings/language";
import { Segments } from "./Segments";
import { shortcutsAreOn, switchShortcuts } from "./shortcuts";
import { chooseTheme, chosenTheme, type Theme } from "./theme";

/** How pages look in this browser. */
export function ThemeChoice() {
  const [theme, setTheme] = useState(chosenTheme);
  const text = t.common.theme;
  return (
    <Segments<Theme | "system">
      label={text.title}
      options={[
        { value: "system", name: text.system },
        { value: "light", name: text.light },
        { value: "dark", name: text.dark },
      ]}
      value={theme ?? "system"}
      onChange={(value) => {
        const chosen = value === "system" ? null : value;
        chooseTheme(chosen);
        setTheme(chosen);
      }}
    />
  );
}

/** Whether the label pages take single keys; everything on them is a button too. */
export function ShortcutChoice() {
  const [on, setOn] = useState(shortcutsAreOn);
  const text = t.common.shortcuts;
  return (
    <Segments<"on" | "off">
      label={text.title}
      options={[
        { value: "on", name: text.on },
        { value: "off", name: text.off },
      ]}
      value={on ? "on" : "off"}
      onChange={(value) => {
        switchShortcuts(value === "on");
        setOn(value === "on");
      }}
    />
  );
}

/** The language of this browser's pages. Changing it loads the page anew; answers wait on the device. */
export function LanguageChoice() {
  return (
    <Segments<Language>
      label={t.common.language}
      options={(Object.keys(LANGUAGES) as Language[]).map((value) => ({
        value,
        name: LANGUAGES[value],
        lang: value,
      }))}
      value={language}
      onChange={(value) => {
        chooseLanguage(value);
        window.location.reload();
      }}
    />
  );
}
