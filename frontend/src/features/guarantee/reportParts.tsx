import type { CertificateReport } from "../../api/guarantee";
import type { LabelClass } from "../../api/types";
import { t } from "../../strings";
import { formatCount } from "../../ui/format";
import { highOf } from "../../ui/outOf";
import { Table } from "../../ui/Table";
import { Group } from "./Group";
import styles from "./Report.module.css";

type PartProps = { report: CertificateReport };

/** What people saw, what the model learned from, and what nobody has seen. */
export function Looked({ report }: PartProps) {
  const { looked_at: looked, certificate } = report;
  const { rows } = t.guarantee.report;
  const lines: [string, number][] = [
    [rows.images, looked.images],
    [rows.people, looked.people],
    [rows.learned, looked.learned_from],
    [rows.drawn, looked.drawn],
    [rows.auto, certificate.auto],
    // As things are now: people may have labeled more than they checked.
    [rows.left, Math.max(0, report.not_looked_at - certificate.auto)],
  ];
  return (
    <dl className={styles.lines}>
      {lines.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{formatCount(value)}</dd>
        </div>
      ))}
    </dl>
  );
}

/** How many labels of each class are of people and of the model, and how many of these may be wrong. */
export function ByClass({ report, classes }: PartProps & { classes: readonly LabelClass[] }) {
  const { report: text, applying } = t.guarantee;
  return (
    <Table label={text.perClass}>
      <thead>
        <tr>
          <th scope="col">{applying.class}</th>
          <th scope="col" data-number>
            {text.byPeople}
          </th>
          <th scope="col" data-number>
            {text.byModel}
          </th>
          <th scope="col" data-number title={text.boundHint}>
            {text.bound}
          </th>
        </tr>
      </thead>
      <tbody>
        {report.per_class.map(({ class_id, people, model, bound }) => (
          <tr key={class_id ?? "none"}>
            <th scope="row">
              <Group classId={class_id} classes={classes} />
            </th>
            <td data-number>{formatCount(people)}</td>
            <td data-number>{formatCount(model)}</td>
            <td data-number>{bound === null ? "–" : highOf(bound)}</td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

/** Versions and digests, by which the report can be told from any other. */
export function Fingerprints({ report }: PartProps) {
  const { report: text } = t.guarantee;
  const lists = [
    { title: text.versions, hint: null, values: report.versions, names: text.versionNames },
    {
      title: text.digests,
      hint: text.digestsHint,
      values: report.digests,
      names: text.digestNames,
    },
  ];
  return lists.map(({ title, hint, values, names }) => (
    <section key={title}>
      <h3>{title}</h3>
      {hint && <p>{hint}</p>}
      <dl className={styles.prints}>
        {Object.entries(values).map(([name, value]) => (
          <div key={name}>
            <dt>{names[name] ?? name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  ));
}
