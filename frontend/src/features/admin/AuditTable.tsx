import type { ReactNode } from "react";
import { Link } from "react-router";
import type { AuditEntry } from "../../api/types";
import { t } from "../../strings";
import { formatDateTime } from "../../ui/format";
import { Table } from "../../ui/Table";
import styles from "./AdminScreen.module.css";
import { detailsOf, programOf } from "./details";

const { audit: text } = t.admin;

export function AuditTable({ entries }: { entries: AuditEntry[] }) {
  return (
    <Table label={t.admin.tabs.audit}>
      <thead>
        <tr>
          {[text.when, text.who, text.what, text.project, text.details].map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {entries.map((entry) => (
          <tr key={entry.id}>
            <td className={styles.nowrap}>{formatDateTime(entry.at)}</td>
            <td title={entry.actor?.email}>
              {entry.actor?.name ?? text.nobody}
              {entry.address && <div className={styles.quiet}>{entry.address}</div>}
              {entry.agent && (
                <div className={styles.agent} title={entry.agent}>
                  {programOf(entry.agent)}
                </div>
              )}
            </td>
            <td>
              <What entry={entry} />
            </td>
            <td>
              {entry.project ? (
                <Link to={`/projects/${entry.project.id}`}>{entry.project.name}</Link>
              ) : (
                "–"
              )}
            </td>
            <td>
              <Details entry={entry} />
            </td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

/** So many details stand in a row; of more, the rest is unfolded, as a row is not to fill the screen. */
const MOST = 3;

function Details({ entry }: { entry: AuditEntry }) {
  const rows = detailsOf(entry.detail);
  if (rows.length === 0) return "–";
  const rest = rows.slice(MOST);
  return (
    <>
      <DetailRows rows={rows.slice(0, MOST)} />
      {rest.length > 0 && (
        <details className={styles.rest}>
          <summary>{text.more(rest.length)}</summary>
          <DetailRows rows={rest} />
        </details>
      )}
    </>
  );
}

function DetailRows({ rows }: { rows: [string, string][] }) {
  return (
    <dl className={styles.details}>
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Verbs that name no object: who did it is the user, or the project says where. */
const ALONE = new Set(["log_in", "change_password"]);
/** Kinds whose number tells nobody anything. */
const UNNUMBERED = new Set(["pool", "annotations", "audit"]);

function What({ entry }: { entry: AuditEntry }) {
  const { verb, object_type: type, object_name: name, project } = entry;
  // Rounds are known by their number within the project.
  const number = type === "round" ? (entry.detail.number as number | undefined) : undefined;
  const id = number ?? entry.object_id;
  const said = text.verbs[verb] ?? verb;
  if (ALONE.has(verb)) return said;
  const kind = text.objects[type] ?? type;
  if (verb === "log_in_failed") {
    return <Deed verb={said} object={<strong>{name ?? text.unknownUser}</strong>} />;
  }
  const called = name ?? (type === "project" ? project?.name : null);
  const shown = called ?? (id === null || UNNUMBERED.has(type) ? "" : String(id));
  const object = <strong>{`${kind} ${shown}`.trim()}</strong>;
  const isJob = type === "job" && project !== null;
  const link = isJob ? <Link to={`/projects/${project.id}/jobs/${id}`}>{object}</Link> : object;
  return <Deed verb={said} object={link} />;
}

/** Languages differ in whether what was done comes first, or to what. */
function Deed({ verb, object }: { verb: string; object: ReactNode }) {
  return text.deed.startsWith("{verb}") ? (
    <>
      {verb} {object}
    </>
  ) : (
    <>
      {object} {verb}
    </>
  );
}
