import { describe, expect, it } from "vitest";
import { en } from "./en";
import patterns from "./experts.json";
import { ko } from "./ko";

/** Words that experts use. Whoever labels reads plain ones, with these behind a hover at most. */
const EXPERTS = patterns.slice(0, -1).map((pattern) => new RegExp(pattern));
/** What the server or the code calls something. */
const IDENTIFIER = new RegExp(patterns.at(-1) ?? "");

/** What annotators see, apart from the glossary itself. */
const pages = import.meta.glob<string>(
  [
    "../features/labeling/**/*.{ts,tsx}",
    "../{tasks,media}/**/*.{ts,tsx}",
    "../features/home/*.tsx",
    "../features/projects/ProjectCard.tsx",
    "../routes/{DeskRoute,LabelRoute,GridRoute,ReviewRoute,ProjectsRoute,AppShell,AccountMenu}.tsx",
    "!../**/*.test.*",
    // What only who runs a project reads.
    "!../tasks/**/managerWords.ts",
  ],
  { query: "?raw", import: "default", eager: true },
);
const WHOLE = ["label", "grid", "review", "home"];

/** Where a source takes its words from: `t.label.find`, `const { waiting: text } = t.label`. */
function pathsOf(source: string): string[] {
  const direct = [...source.matchAll(/\bt((?:\.[a-zA-Z]\w*)+)/g)].map(([, path]) => path ?? "");
  const parts = [...source.matchAll(/const \{ ([^}]+) \} = t((?:\.\w+)*);/g)].flatMap(
    ([, names = "", path = ""]) =>
      names.split(",").map((name) => `${path}.${name.split(":")[0]?.trim()}`),
  );
  // What is taken apart is used by its parts.
  const whole = new Set([...source.matchAll(/ = t((?:\.\w+)+);/g)].map(([, path]) => path ?? ""));
  return [...direct.filter((path) => !whole.has(path)), ...parts].map((path) => path.slice(1));
}

function at(catalogue: unknown, path: string): unknown {
  let found = catalogue;
  for (const name of path.split(".")) {
    if (typeof found !== "object" || found === null) break;
    found = (found as Record<string, unknown>)[name];
  }
  return found;
}

function wordsIn(value: unknown): string[] {
  if (typeof value === "function") return [String(value)];
  if (typeof value !== "object" || value === null) return [String(value)];
  return Object.values(value).flatMap(wordsIn);
}

const used = [...new Set([...WHOLE, ...Object.values(pages).flatMap(pathsOf)])].filter(
  (path) => !path.startsWith("glossary."),
);

it("finds what the pages say", () => {
  expect(Object.keys(pages).length).toBeGreaterThan(60);
  expect(used).toContain("common.close");
  expect(used).toContain("projects.counts.ood");
  expect(used.length).toBeGreaterThan(80);
});

describe.each([
  ["English", en],
  ["Korean", ko],
] as const)("what annotators read in %s", (_language, catalogue) => {
  it.each(used)("is plain in %s", (path) => {
    for (const words of wordsIn(at(catalogue, path))) {
      for (const expert of EXPERTS) expect(words).not.toMatch(expert);
    }
  });

  it.each(used)("names nothing as the code does in %s", (path) => {
    const found = at(catalogue, path);
    const said = wordsIn(typeof found === "function" ? "" : found);
    for (const words of said.filter((one) => !one.includes("=>"))) {
      expect(words).not.toMatch(IDENTIFIER);
    }
  });
});

const catalogues = import.meta.glob<string>("./{en,ko}/{label,grid,review,home}.ts", {
  query: "?raw",
  import: "default",
  eager: true,
});

it.each(Object.entries(catalogues))(
  "%s has no expert's word, in its constants neither",
  (_, text) => {
    for (const expert of EXPERTS) expect(text.replace(/\/\*\*.*?\*\//gs, "")).not.toMatch(expert);
  },
);

it.each([
  ["English", en],
  ["Korean", ko],
])("says in %s of a round that has failed what is true whatever failed in it", (_, words) => {
  const { failed } = words.label.waiting;
  const said = [failed.title, failed.text, failed.last, failed.open, words.home.waitingFor.failed];
  for (const one of said) expect(one).not.toMatch(/train|learn|model|embed|학습|모델|임베딩/i);
});

/** What people said of an image has one name wherever they look; files, the API and methods say OOD. */
const OWNERS = ["advice", "alike", "jobs", "localization", "overview", "pool", "rounds", "setup"];

it.each(OWNERS.flatMap((path) => [en, ko].map((one) => [path, one] as const)))(
  "calls none of the classes so in %s",
  (path, catalogue) => {
    const { nameReserved } = catalogue.setup;
    const said = wordsIn(at(catalogue, path)).filter((words) => words !== nameReserved);
    expect(said.length).toBeGreaterThan(5);
    for (const words of said) expect(words).not.toMatch(/\bOOD\b/);
  },
);
