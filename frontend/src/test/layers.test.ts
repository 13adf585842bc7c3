import { expect, it } from "vitest";

/** Each layer may import from itself and from those after it. */
const LAYERS = ["routes", "features", "tasks", "media", "ui", "api", "strings", "lib"];
const MOST_LINES = 250;

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
