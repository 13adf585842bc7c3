import { t } from "../../strings";
import { browserIn } from "../../ui/browsers";

/** Said elsewhere in the row, or by the changes. */
const LEFT_OUT = new Set(["changes", "fields", "email", "name"]);

function shown(value: unknown): string {
  if (value === null) return "–";
  if (typeof value !== "object") return String(value);
  if (Array.isArray(value)) return value.map(shown).join(", ");
  return Object.entries(value)
    .filter(([, inner]) => inner !== null)
    .map(([name, inner]) => `${name} ${shown(inner)}`)
    .join(", ");
}

/** The details of an entry as names and values; a change as what was and what came. */
export function detailsOf(detail: Record<string, unknown>): [string, string][] {
  const changes = (detail.changes ?? {}) as Record<string, [unknown, unknown]>;
  const changed = Object.entries(changes).flatMap(([path, [before, after]]) =>
    changesOf(path, before, after),
  );
  const others = Object.entries(detail)
    .filter(([name, value]) => !LEFT_OUT.has(name) && value !== false && !isEmpty(value))
    .flatMap(([name, value]) => partsOf(name, value));
  // A project's texts and classes are not kept twice: their names say that they changed.
  const fields = changed.length === 0 ? detail.fields : null;
  const named: [string, string][] = fields ? [["fields", shown(fields)]] : [];
  return [...changed, ...others, ...named];
}

/** A change, of what has names of its own only where these differ. */
function changesOf(path: string, before: unknown, after: unknown): [string, string][] {
  if (!isNamed(before) || !isNamed(after)) {
    return [[path, t.admin.audit.became(shown(before), shown(after))]];
  }
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
    .flatMap((name) => changesOf(`${path}.${name}`, before[name] ?? null, after[name] ?? null));
}

const isNamed = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A detail by itself, or, of one that has names of its own, each of these. */
function partsOf(name: string, value: unknown): [string, string][] {
  if (!isNamed(value)) return [[name, shown(value)]];
  return Object.entries(value)
    .filter(([, inner]) => inner !== null && !isEmpty(inner))
    .map(([inner, one]) => [`${name}.${inner}`, shown(one)]);
}

const isEmpty = (value: unknown): boolean =>
  typeof value === "object" && value !== null && Object.keys(value).length === 0;

/** What somebody used, in a word or two: the browser, or how a program calls itself. */
export function programOf(agent: string): string {
  const browser = browserIn(agent);
  return browser ? `${browser.name} ${browser.version}` : (agent.split(" ")[0] ?? agent);
}
