import { t } from "../../strings";

/** Said elsewhere in the row, or by the changes. */
const LEFT_OUT = new Set(["changes", "fields", "email", "name"]);

const shown = (value: unknown): string =>
  value === null || typeof value === "object" ? JSON.stringify(value) : String(value);

/** The details of an entry as names and values; a change as what was and what came. */
export function detailsOf(detail: Record<string, unknown>): [string, string][] {
  const changes = (detail.changes ?? {}) as Record<string, [unknown, unknown]>;
  const changed = Object.entries(changes).map(([path, [before, after]]): [string, string] => [
    path,
    t.admin.audit.became(shown(before), shown(after)),
  ]);
  const others = Object.entries(detail)
    .filter(([name, value]) => !LEFT_OUT.has(name) && !isEmpty(value))
    .map(([name, value]): [string, string] => [name, shown(value)]);
  // A project's texts and classes are not kept twice: that they changed is said by their names.
  const fields = changed.length === 0 && Array.isArray(detail.fields) ? detail.fields : [];
  return [
    ...changed,
    ...others,
    ...(fields.length > 0 ? [["fields", fields.join(", ")] as [string, string]] : []),
  ];
}

const isEmpty = (value: unknown): boolean =>
  typeof value === "object" && value !== null && Object.keys(value).length === 0;
