import { useQuery } from "@tanstack/react-query";
import { artifactsQuery, artifactUrl } from "../../api/artifacts";
import type { Artifact, Job } from "../../api/types";
import { t } from "../../strings";
import { Card } from "../../ui/Card";
import { CopyButton } from "../../ui/CopyButton";
import { formatBytes } from "../../ui/format";
import { useManages } from "../../ui/managing";
import { Failure } from "../../ui/State";
import { Table } from "../../ui/Table";
import styles from "./AllJobs.module.css";
import { namesOf } from "./figures";

const { files: text } = t.jobs;

/** What a job has left, to download; nothing while there is nothing. */
export function FilesCard({ projectId, job }: { projectId: number; job: Job }) {
  // Files leave the installation: those who only see what was found do not take them away.
  const manages = useManages();
  const files = useQuery({
    ...artifactsQuery(projectId, job.id),
    enabled: manages,
    refetchInterval: job.state === "running" ? 5_000 : false,
  });
  if (!manages) return null;
  if (files.error && !files.data) {
    return <Failure error={files.error} onRetry={() => files.refetch()} />;
  }
  if (!files.data || files.data.items.length === 0) return null;
  return (
    <Card title={text.title} hint={text.hint}>
      <Table label={text.title}>
        <thead>
          <tr>
            <th scope="col">{text.file}</th>
            <th scope="col" data-number>
              {text.size}
            </th>
            <th scope="col">{text.sha}</th>
            <th scope="col">
              <span className="visually-hidden">{text.download}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {files.data.items.map((file) => (
            <tr key={file.id}>
              <th scope="row">{nameOf(file, job)}</th>
              <td data-number>{formatBytes(file.bytes)}</td>
              <td>
                <span className={styles.file}>
                  <code title={file.sha256}>{file.sha256.slice(0, 16)}…</code>
                  <CopyButton text={file.sha256} name={text.copySha(file.id)} />
                </span>
              </td>
              <td data-number>
                <a
                  href={artifactUrl(file.id)}
                  download
                  aria-label={text.downloadThis(nameOf(file, job), file.id)}
                >
                  {text.download}
                </a>
              </td>
            </tr>
          ))}
        </tbody>
      </Table>
    </Card>
  );
}

/** Jobs that leave several files of a kind say in `meta` which is which. */
function nameOf({ kind, meta }: Artifact, job: Job): string {
  const title = t.jobs.artifactKinds[kind] ?? kind;
  const method = meta.method ?? meta.name;
  if (typeof method !== "string") return title;
  const called: Record<string, string> = job.kind === "taufe" ? namesOf(job) : {};
  return `${title}: ${called[method] ?? method}`;
}
