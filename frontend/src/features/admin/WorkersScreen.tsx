import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { forgetWorker, workersQuery } from "../../api/admin";
import type { Worker, Workers } from "../../api/types";
import { t } from "../../strings";
import { Button } from "../../ui/Button";
import { Card } from "../../ui/Card";
import { Chip } from "../../ui/Chip";
import { ErrorNotice } from "../../ui/ErrorNotice";
import { formatCount, formatDateTime, formatTime } from "../../ui/format";
import { Failure, Loading, Skeleton } from "../../ui/State";
import { Table } from "../../ui/Table";
import { ActiveJobs } from "./ActiveJobs";
import styles from "./AdminScreen.module.css";
import { Problems } from "./Problems";

const { workers: text } = t.admin;

/** Which processes there are, what waits for them, and what an admin has to mend. */
export function WorkersScreen() {
  const found = useQuery({ ...workersQuery, refetchInterval: 4_000 });
  if (found.error && !found.data) {
    return <Failure error={found.error} onRetry={() => found.refetch()} />;
  }
  if (!found.data) {
    return (
      <Loading>
        <Skeleton height="3.5rem" />
        <Skeleton height="11rem" />
        <Skeleton height="13rem" />
      </Loading>
    );
  }
  const { problems, queues, workers, jobs, version } = found.data;
  return (
    <>
      <p className={styles.quiet}>{text.hint}</p>
      <Problems problems={problems} />
      <Card title={text.queues}>
        <QueueTable queues={queues} />
      </Card>
      <Card title={text.processes} hint={text.ofApi(version)}>
        {workers.length === 0 ? <p className={styles.quiet}>{text.noProcesses}</p> : null}
        {workers.length > 0 && <ProcessTable workers={workers} jobs={jobs} />}
      </Card>
      <Card title={text.jobs} hint={text.jobsHint}>
        <ActiveJobs jobs={jobs} />
      </Card>
    </>
  );
}

function QueueTable({ queues }: Pick<Workers, "queues">) {
  return (
    <Table label={text.queues}>
      <thead>
        <tr>
          <th scope="col">{text.queue}</th>
          {[text.alive, text.running, text.queued, text.messages].map((name) => (
            <th key={name} scope="col" data-number>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {queues.map((queue) => (
          <tr key={queue.name}>
            <th scope="row">
              <strong>{queue.name}</strong>
              <div className={styles.quiet}>{text.purposes[queue.name]}</div>
            </th>
            <td data-number>{formatCount(queue.workers)}</td>
            <td data-number>{formatCount(queue.running)}</td>
            <td data-number>{formatCount(queue.queued)}</td>
            <td data-number>
              {queue.messages === null ? text.noAnswer : formatCount(queue.messages)}
            </td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

function ProcessTable({ workers, jobs }: Pick<Workers, "workers" | "jobs">) {
  const client = useQueryClient();
  const forget = useMutation({
    mutationFn: forgetWorker,
    onSettled: () => client.invalidateQueries({ queryKey: workersQuery.queryKey }),
  });
  const nameOf = (id: number) => {
    const job = jobs.find((one) => one.id === id);
    return job ? t.jobs.titled(t.overview.job[job.kind] ?? job.kind, id) : String(id);
  };
  return (
    <>
      <ErrorNotice error={forget.error} />
      <Table label={text.processes}>
        <thead>
          <tr>
            {[text.process, text.state, text.takes, text.works, text.heartbeat, text.since].map(
              (name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ),
            )}
            <th scope="col">
              <span className="visually-hidden">{text.forget}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {workers.map((worker) => (
            <tr key={worker.name}>
              <th scope="row">
                <strong>{worker.name.split("@")[0]}</strong>
                <div className={`${styles.mono} ${styles.quiet}`}>
                  {worker.host}:{worker.pid}
                </div>
                <div className={`${styles.mono} ${styles.quiet}`}>
                  {worker.version ?? text.noVersion}
                </div>
              </th>
              <td>
                <Chip tone={worker.alive ? "good" : "bad"} dot>
                  {worker.alive ? text.states.alive : text.states.silent}
                </Chip>
              </td>
              <td>
                {worker.queues.join(", ") || text.scheduler}
                {worker.device !== null && (
                  <div className={styles.quiet}>
                    {worker.device === "cpu" ? text.onCpu : text.onGpu}
                  </div>
                )}
              </td>
              <td>{worker.jobs.map(nameOf).join(", ") || (worksOn(worker) ? text.idle : "–")}</td>
              <td className={styles.nowrap}>
                {(worker.alive ? formatTime : formatDateTime)(worker.heartbeat_at)}
              </td>
              <td className={styles.nowrap}>{formatDateTime(worker.started_at)}</td>
              <td data-number>
                {!worker.alive && (
                  <Button
                    size="small"
                    kind="quiet"
                    aria-label={text.forgetThis(worker.name)}
                    busy={forget.isPending && forget.variables === worker.name}
                    onClick={() => forget.mutate(worker.name)}
                  >
                    {text.forget}
                  </Button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </Table>
    </>
  );
}

const worksOn = ({ alive, queues }: Worker): boolean => alive && queues.length > 0;
