import { Link } from "react-router";
import { useTitles } from "../../api/algorithms";
import type { Project, Settings, Subset } from "../../api/types";
import { t } from "../../strings";
import { formatDateTime } from "../../ui/format";
import { formatMeasured } from "../../ui/shares";
import { Table } from "../../ui/Table";
import { useChangedOfPrune } from "./given";
import styles from "./JobsScreen.module.css";
import { SubsetExport, SubsetUse } from "./SubsetActions";

const { subsets: text } = t.jobs;

type SubsetsTableProps = { project: Project & { settings: Settings }; subsets: Subset[] };

export function SubsetsTable({ project, subsets }: SubsetsTableProps) {
  const { columns } = text;
  const titleOf = useTitles("pruning");
  const changedOf = useChangedOfPrune();
  return (
    <Table label={text.title}>
      <thead>
        <tr>
          <th scope="col">{columns.subset}</th>
          <th scope="col">{columns.method}</th>
          <th scope="col" data-number>
            {columns.kept}
          </th>
          <th scope="col" data-number>
            {columns.noise}
          </th>
          <th scope="col">{columns.made}</th>
          <th scope="col">{columns.use}</th>
          <th scope="col">{columns.export}</th>
        </tr>
      </thead>
      <tbody>
        {subsets.map((one) => (
          <tr key={one.id}>
            <th scope="row" className={styles.oneLine}>
              {one.job_id === null ? (
                text.name(one.id)
              ) : (
                <Link to={`/projects/${project.id}/jobs/${one.job_id}`}>{text.name(one.id)}</Link>
              )}
            </th>
            <td>
              {titleOf(one.method)}
              <small className={styles.beside}>{changedOf(one.params)}</small>
            </td>
            <td data-number className={styles.oneLine}>
              {text.keptOf(one.kept, one.labeled)}
            </td>
            <td data-number className={styles.oneLine}>
              {formatMeasured(one.noise_ratio, one.noise_known)}
            </td>
            <td className={styles.oneLine}>{formatDateTime(one.created_at)}</td>
            <td>
              <div className={styles.actions}>
                <SubsetUse project={project} subsetId={one.id} />
              </div>
            </td>
            <td className={styles.oneLine}>
              <SubsetExport projectId={project.id} subsetId={one.id} />
            </td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}
