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
  const changed = Object.entries(changes).map(([path, [before, after]]): [string, string] => [
    path,
    t.admin.audit.became(shown(before), shown(after)),
  ]);
  const others = Object.entries(detail)
    .filter(([name, value]) => !LEFT_OUT.has(name) && value !== false && !isEmpty(value))
    .map(([name, value]): [string, string] => [name, shown(value)]);
  // A project's texts and classes are not kept twice: their names say that they changed.
  const fields = changed.length === 0 ? detail.fields : null;
  const named: [string, string][] = fields ? [["fields", shown(fields)]] : [];
  return [...changed, ...others, ...named];
}

const isEmpty = (value: unknown): boolean =>
  typeof value === "object" && value !== null && Object.keys(value).length === 0;

/** What somebody used, in a word or two: the browser, or how a program calls itself. */
export function programOf(agent: string): string {
  const browser = browserIn(agent);
  return browser ? `${browser.name} ${browser.version}` : (agent.split(" ")[0] ?? agent);
}
