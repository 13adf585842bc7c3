import { hashKey, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { Estimate } from "../../api/estimates";
import { estimateRound, isActive, jobsOfKindQuery } from "../../api/rounds";
import type { Choice, Job, Project } from "../../api/types";
import { t } from "../../strings";
import { Button } from "../../ui/Button";
import { ErrorNotice } from "../../ui/ErrorNotice";
import { formatAbout } from "../../ui/format";
import styles from "./RoundTime.module.css";
import { WeightsNotice } from "./WeightsNotice";

const { time: text } = t.advice;
const KIND = "advance_round";
/** Of the phases the one that is done once for each image. */
const ONCE = "embed";

type RoundTimeProps = { project: Project; model: Choice; title: string };

/** How long a round would take with a model, measured before it is chosen. */
export function RoundTime({ project, model, title }: RoundTimeProps) {
  const client = useQueryClient();
  const query = jobsOfKindQuery(project.id, KIND);
  const jobs = useQuery({
    ...query,
    // Events bring the end; this is for the case that one is missed.
    refetchInterval: ({ state }) => (state.data?.items.some(isMeasuring) ? 2_000 : false),
  });
  const measure = useMutation({
    mutationFn: () => estimateRound(project.id, model),
    onSettled: () => client.invalidateQueries({ queryKey: query.queryKey }),
  });
  const latest = jobs.data?.items.find((job) => job.dry_run && isOf(job, model));
  const found = latest?.result?.estimate as Estimate | undefined;
  const why = latest?.error?.detail;
  const isBusy = measure.isPending || (jobs.data?.items.some(isMeasuring) ?? false);
  if (project.counts.pool === 0) return <p className={styles.time}>{text.noImages}</p>;
  return (
    <div className={styles.time} aria-live="polite">
      {found && <Told estimate={found} title={title} />}
      {latest?.state === "failed" &&
        (why !== undefined && !project.warnings.includes(why) ? (
          <WeightsNotice model={model} said={why} lead={text.failed} />
        ) : (
          // Why stands above: it is known of the stored model.
          <p>{text.failed}</p>
        ))}
      <ErrorNotice error={measure.error} />
      <Button size="small" busy={isBusy} onClick={() => measure.mutate()}>
        {isBusy ? text.asking : text.ask}
      </Button>
    </div>
  );
}

function Told({ estimate, title }: { estimate: Estimate; title: string }) {
  const { phases, device } = estimate;
  const once = phases[ONCE] ?? 0;
  const each = Object.entries(phases).reduce(
    (sum, [phase, seconds]) => (phase === ONCE ? sum : sum + seconds),
    0,
  );
  return (
    <p>
      <strong>{text.about(title, formatAbout(each), device)}</strong>
      {once >= 1 && ` ${text.once(formatAbout(once))}`}
    </p>
  );
}

const isMeasuring = (job: Job): boolean => job.dry_run && isActive(job);

/** Whether a job has measured this very choice. */
function isOf({ params }: Job, model: Choice): boolean {
  const measured = params.model as Choice | undefined;
  return (
    measured?.name === model.name && hashKey([measured.params]) === hashKey([model.params ?? {}])
  );
}
