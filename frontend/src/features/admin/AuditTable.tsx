import { Link } from "react-router";
import type { AuditEntry } from "../../api/types";
import { t } from "../../strings";
import { formatDateTime } from "../../ui/format";
import { Table } from "../../ui/Table";
import styles from "./AdminScreen.module.css";
import { detailsOf } from "./details";

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
            <td title={entry.actor?.email}>{entry.actor?.name ?? text.nobody}</td>
            <td>
              {text.verbs[entry.verb] ?? entry.verb} <strong>{objectOf(entry)}</strong>
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

function Details({ entry }: { entry: AuditEntry }) {
  const rows = detailsOf(entry.detail);
  if (rows.length === 0) return "–";
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

/** Whoever signs in does so as themselves: that user is named already. */
function objectOf({ verb, actor, object_type, object_id, object_name }: AuditEntry): string {
  if (actor && ["log_in", "change_password"].includes(verb)) return "";
  const kind = text.objects[object_type] ?? object_type;
  if (object_name) return `${kind} ${object_name}`;
  return object_id === null ? kind : `${kind} ${object_id}`;
}
