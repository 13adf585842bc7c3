import { t } from "../../strings";
import { browserIn } from "../../ui/browsers";

const PROGRAMS: [RegExp, string][] = [
  [/^python-httpx\/|^Karat/i, "Python"],
  [/^curl\//, "curl"],
];

const SYSTEMS: [RegExp, string][] = [
  [/\b(iPhone|iPad)\b/, "iOS"],
  [/\bAndroid\b/, "Android"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X\b|\bMacintosh\b/, "macOS"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bLinux\b/, "Linux"],
];

const nameIn = (known: [RegExp, string][], agent: string): string | undefined =>
  known.find(([pattern]) => pattern.test(agent))?.[1];

/** What a browser calls itself, in words: Firefox on Windows. */
export function browserOf(agent: string | null): string {
  const said = agent ?? "";
  const browser = browserIn(said)?.name ?? nameIn(PROGRAMS, said);
  const system = nameIn(SYSTEMS, said);
  if (browser && system) return t.signIn.on(browser, system);
  return browser ?? system ?? t.signIn.unknownBrowser;
}
