import { expect, it } from "vitest";

/** Each layer may import from itself and from those after it. */
const LAYERS = ["routes", "features", "tasks", "media", "ui", "api", "strings", "lib"];
const MOST_LINES = 250;

/** Where a type of task is told by its name: compared, switched on, looked for, or the key to something of its own. */
const BY_NAME = [
  /\btask\s*[!=]==?\s*["'`]/,
  /["'`]\s*[!=]==?\s*(?:\w+\.)*task\b/,
  /\bswitch\s*\((?:\w+\.)*task\)/,
  /\w\??\.?\[(?:\w+\.)*task\]/,
  /\.(?:includes|has|get)\((?:\w+\.)*task\)/,
];
/** Where that is as it should be, and why. */
const MAY_NAME: Record<string, string> = {
  "api/projects.ts": "lies below the types of task, and puts right what the server sends",
  "api/serving.ts": "reads from the server for which types of task an algorithm is",
  "features/labeling/review/ReviewScreen.tsx": "has a panel to decide with for each type",
};

const sources = import.meta.glob<string>(["../**/*.{ts,tsx}", "!../**/*.test.*", "!../**/*.d.ts"], {
  query: "?raw",
  import: "default",
  eager: true,
});

/** `../features/setup/folders.ts` → `["features", "setup", "folders.ts"]`. */
const partsOf = (path: string): string[] => path.replace(/^\.\.\//, "").split("/");

function importsOf(path: string, text: string): string[][] {
  const folder = `http://src/${partsOf(path).slice(0, -1).join("/")}/`;
  return [...text.matchAll(/(?:from|import)\s*\(?"(\.[^"]+)"/g)].map(([, target]) =>
    new URL(target ?? "", folder).pathname.slice(1).split("/"),
  );
}

const files = Object.entries(sources).filter(([path]) => LAYERS.includes(partsOf(path)[0] ?? ""));

it("finds the sources", () => {
  expect(files.length).toBeGreaterThan(50);
});

it.each(files)("%s imports only from the layers below", (path, text) => {
  const [layer, feature] = partsOf(path);
  for (const [target, other] of importsOf(path, text)) {
    expect(LAYERS.indexOf(target ?? "")).toBeGreaterThanOrEqual(LAYERS.indexOf(layer ?? ""));
    if (layer === "features" && target === "features") expect(other).toBe(feature);
  }
});

it.each(files)("%s is short enough to read", (_path, text) => {
  expect(text.split("\n").length).toBeLessThanOrEqual(MOST_LINES);
});

it("asks for traits of types of task, not for their names", () => {
  const named = files
    .filter(([path, text]) => partsOf(path)[0] !== "tasks" && BY_NAME.some((one) => one.test(text)))
    .map(([path]) => partsOf(path).join("/"));
  const remedy =
    "Ask `traitsOf` of tasks/traits.ts for the reason; a new one is a field of `Traits` in tasks/spec.ts";
  expect(named.sort(), remedy).toEqual(Object.keys(MAY_NAME).sort());
});

it("sees types of task that are told by their names", () => {
  for (const branch of [
    'project.task === "boxes"',
    '"boxes" !== task',
    "switch (project.task) {",
    "WORDS[project.task]",
    "WORDS[task]?.()",
    "OF_ROWS.includes(project.task)",
  ])
    expect(BY_NAME.some((pattern) => pattern.test(branch))).toBe(true);
  expect(BY_NAME.some((pattern) => pattern.test('{ task: "boxes" }, [task]'))).toBe(false);
});
