import { t } from "../../strings";

/** In this order: most browsers say the names of others as well. */
const BROWSERS: [RegExp, string][] = [
  [/\bEdg(e|A|iOS)?\//, "Edge"],
  [/\b(OPR|Opera)\//, "Opera"],
  [/\bSamsungBrowser\//, "Samsung Internet"],
  [/\b(Firefox|FxiOS)\//, "Firefox"],
  [/\b(Chrome|CriOS|HeadlessChrome)\//, "Chrome"],
  [/\bVersion\/.*\bSafari\//, "Safari"],
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
  const browser = nameIn(BROWSERS, agent ?? "");
  const system = nameIn(SYSTEMS, agent ?? "");
  if (browser && system) return t.signIn.on(browser, system);
  return browser ?? system ?? t.signIn.unknownBrowser;
}
