import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { storageQuery } from "../../api/admin";
import type { Storage } from "../../api/types";
import { t } from "../../strings";
import { Card } from "../../ui/Card";
import { Figures } from "../../ui/Figures";
import { formatBytes, formatCount, formatDateTime } from "../../ui/format";
import { Meter } from "../../ui/Meter";
import { Failure, Loading, Notice, Skeleton } from "../../ui/State";
import { Table } from "../../ui/Table";
import styles from "./AdminScreen.module.css";

const { storage: text } = t.admin;
/** Below this share of room, imports and rounds are about to fail. */
const LITTLE = 0.1;

type ProjectStorage = Storage["projects"][number];

const sum = (values: number[]): number => values.reduce((total, value) => total + value, 0);

const artifactsOf = (project: ProjectStorage): number =>
  sum(Object.values(project.artifact_bytes).map((size) => size ?? 0));

/** What takes how much room, and how much is left. */
export function StorageScreen() {
  const found = useQuery(storageQuery);
  if (found.error && !found.data) {
    return <Failure error={found.error} onRetry={() => found.refetch()} />;
  }
  if (!found.data) {
    return (
      <Loading>
        <Skeleton height="11rem" />
        <Skeleton height="14rem" />
      </Loading>
    );
  }
  const { projects, database_bytes: database, disk_free: free, disk_total: total } = found.data;
  return (
    <>
      <p className={styles.quiet}>{text.hint}</p>
      {free < LITTLE * total && <Notice tone="bad">{text.nearlyFull}</Notice>}
      <Card title={text.disk}>
        <Meter
          label={text.disk}
          hideLabel
          value={total - free}
          max={total}
          text={text.free(formatBytes(free), formatBytes(total))}
        />
        <p className={styles.quiet}>{text.free(formatBytes(free), formatBytes(total))}</p>
        <Figures
          figures={[
            [text.database, formatBytes(database)],
            [text.images, formatBytes(sum(projects.map((one) => one.image_bytes)))],
            [text.pixels, formatBytes(sum(projects.map((one) => one.pixel_bytes)))],
            [text.features, formatBytes(sum(projects.map((one) => one.feature_bytes)))],
            [text.artifacts, formatBytes(sum(projects.map(artifactsOf)))],
            [text.uploads, formatBytes(found.data.upload_bytes)],
            [t.admin.tabs.weights, formatBytes(found.data.weights_bytes)],
          ]}
        />
      </Card>
      <Card title={text.byProject}>
        {projects.length === 0 ? (
          <p className={styles.quiet}>{text.noProjects}</p>
        ) : (
          <ProjectTable projects={projects} />
        )}
      </Card>
      <Card title={text.byKind}>
        <KindTable projects={projects} />
      </Card>
      {found.data.removals.length > 0 && (
        <Card title={text.deleted}>
          <p className={styles.quiet}>{text.deletedHint}</p>
          <RemovalTable removals={found.data.removals} />
        </Card>
      )}
    </>
  );
}

function ProjectTable({ projects }: { projects: ProjectStorage[] }) {
  const totalOf = (one: ProjectStorage) =>
    one.image_bytes + one.pixel_bytes + one.feature_bytes + artifactsOf(one);
  const columns = [text.count, text.originals, text.pixels, text.features, text.artifacts];
  return (
    <Table label={text.byProject}>
      <thead>
        <tr>
          <th scope="col">{text.project}</th>
          {[...columns, text.total].map((name) => (
            <th key={name} scope="col" data-number>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {projects
          .toSorted((one, other) => totalOf(other) - totalOf(one))
          .map((one) => (
            <tr key={one.project_id}>
              <th scope="row">
                <Link to={`/projects/${one.project_id}`}>{one.project}</Link>
              </th>
              <td data-number>{formatCount(one.images)}</td>
              <td data-number>
                {one.estimated
                  ? text.about(formatBytes(one.image_bytes))
                  : formatBytes(one.image_bytes)}
              </td>
              <td data-number>{formatBytes(one.pixel_bytes)}</td>
              <td data-number>{formatBytes(one.feature_bytes)}</td>
              <td data-number>{formatBytes(artifactsOf(one))}</td>
              <td data-number>
                <strong>{formatBytes(totalOf(one))}</strong>
              </td>
            </tr>
          ))}
      </tbody>
    </Table>
  );
}

function RemovalTable({ removals }: { removals: Storage["removals"] }) {
  return (
    <Table label={text.deleted}>
      <thead>
        <tr>
          <th scope="col">{text.project}</th>
          <th scope="col">{text.deletedAt}</th>
          <th scope="col" data-number>
            {text.count}
          </th>
          <th scope="col" data-number>
            {text.originals}
          </th>
          <th scope="col" data-number>
            {text.freed}
          </th>
          <th scope="col">{text.removal}</th>
        </tr>
      </thead>
      <tbody>
        {removals.map((one) => (
          <tr key={one.project_id}>
            <th scope="row">{one.project}</th>
            <td>{formatDateTime(one.deleted_at)}</td>
            <td data-number>{formatCount(one.images)}</td>
            <td data-number>{formatBytes(one.image_bytes)}</td>
            <td data-number>{formatBytes(one.freed_bytes)}</td>
            <td>{one.finished_at ? text.removed : text.removing}</td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

function KindTable({ projects }: { projects: ProjectStorage[] }) {
  const sizes = new Map<string, number>();
  for (const { artifact_bytes: artifacts } of projects) {
    for (const [kind, size] of Object.entries(artifacts)) {
      sizes.set(kind, (sizes.get(kind) ?? 0) + (size ?? 0));
    }
  }
  if (sizes.size === 0) return <p className={styles.quiet}>{text.noArtifacts}</p>;
  return (
    <Table label={text.byKind}>
      <thead>
        <tr>
          <th scope="col">{text.kind}</th>
          <th scope="col" data-number>
            {text.size}
          </th>
        </tr>
      </thead>
      <tbody>
        {[...sizes]
          .toSorted(([, one], [, other]) => other - one)
          .map(([kind, size]) => (
            <tr key={kind}>
              <th scope="row">{t.jobs.artifactKinds[kind] ?? kind}</th>
              <td data-number>{formatBytes(size)}</td>
            </tr>
          ))}
      </tbody>
    </Table>
  );
}
