import type { AuditFilter } from "../../api/admin";

/** What stands in the address: short names, and days instead of times. */
export type Shown = {
  person: string;
  verb: string;
  object: string;
  project: string;
  from: string;
  to: string;
};

const NAMES = ["person", "verb", "object", "project", "from", "to"] as const;

export const shownIn = (search: URLSearchParams): Shown =>
  Object.fromEntries(NAMES.map((name) => [name, search.get(name) ?? ""])) as Shown;

export const searchOf = (shown: Shown): URLSearchParams =>
  new URLSearchParams(NAMES.flatMap((name) => (shown[name] ? [[name, shown[name]]] : [])));

const idOf = (text: string): number | null => {
  const id = Number(text);
  return Number.isInteger(id) && id > 0 ? id : null;
};

/** Midnight of a day such as 2026-11-21 by this browser's clock, some days later, in UTC. */
function midnight(day: string, later = 0): string | null {
  const parts = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day)?.slice(1).map(Number);
  if (!parts) return null;
  const [year = 0, month = 1, date = 1] = parts;
  return new Date(year, month - 1, date + later).toISOString();
}

/** What the server is asked for; the last day is included. */
export const filterOf = (shown: Shown): AuditFilter => ({
  actor_id: idOf(shown.person),
  verb: shown.verb || null,
  object_type: shown.object || null,
  project_id: idOf(shown.project),
  since: midnight(shown.from),
  until: midnight(shown.to, 1),
});
