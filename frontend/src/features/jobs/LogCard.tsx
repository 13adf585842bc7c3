import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { jobLogQuery, logUrl } from "../../api/logs";
import { isActive } from "../../api/rounds";
import type { Job } from "../../api/types";
import { t } from "../../strings";
import { Card } from "../../ui/Card";
import { Failure } from "../../ui/State";
import styles from "./LogCard.module.css";

const { log: text } = t.jobs;
const TAIL_MS = 2_000;

type LogCardProps = { projectId: number; job: Job; isOpen: boolean };

/** What a job has said of itself; while it is at work, the latest lines come by themselves. */
export function LogCard({ projectId, job, isOpen }: LogCardProps) {
  const [open, setOpen] = useState(isOpen);
  return (
    <Card>
      <details
        className={styles.log}
        open={open}
        onToggle={(event) => setOpen(event.currentTarget.open)}
      >
        <summary className={styles.summary}>{text.title}</summary>
        {open && <Lines projectId={projectId} job={job} />}
      </details>
    </Card>
  );
}

function Lines({ projectId, job }: { projectId: number; job: Job }) {
  const log = useQuery({
    ...jobLogQuery(useQueryClient(), projectId, job.id),
    refetchInterval: isActive(job) ? TAIL_MS : false,
  });
  const { refetch } = log;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the last lines come with the end of the job.
  useEffect(() => {
    refetch();
  }, [job.state, refetch]);
  const frame = useRef<HTMLPreElement>(null);
  const isAtEnd = useRef(true);
  const lines = log.data?.text ?? "";
  // biome-ignore lint/correctness/useExhaustiveDependencies: whoever is at the end stays there when lines come.
  useEffect(() => {
    if (frame.current && isAtEnd.current) frame.current.scrollTop = frame.current.scrollHeight;
  }, [lines]);
  if (log.error && !log.data) return <Failure error={log.error} onRetry={() => refetch()} />;
  return (
    <>
      <p className={styles.hint}>
        {text.hint} <a href={logUrl(job.id)}>{text.plain}</a>
      </p>
      {/* biome-ignore-start lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard. */}
      <pre
        ref={frame}
        className={styles.lines}
        tabIndex={0}
        role="log"
        aria-label={text.title}
        onScroll={({ currentTarget: it }) => {
          isAtEnd.current = it.scrollTop + it.clientHeight >= it.scrollHeight - 8;
        }}
      >
        {lines || (log.data ? text.empty : t.common.loading)}
      </pre>
      {/* biome-ignore-end lint/a11y/noNoninteractiveTabindex: as above. */}
    </>
  );
}
