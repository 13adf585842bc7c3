import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { listenToProject } from "../../api/events";
import { betweenQuery } from "../../api/labeling";
import { projectQuery } from "../../api/projects";
import { jobsOfKindQuery } from "../../api/rounds";
import type { BetweenRounds, Job, JobProgress, LabelStatus, Project } from "../../api/types";
import { t } from "../../strings";
import { traitsOf } from "../../tasks/traits";
import { Button, ButtonLink } from "../../ui/Button";
import { formatAbout, formatCount, formatSeconds } from "../../ui/format";
import { Meter } from "../../ui/Meter";
import { FailureActions, FailureText } from "../../ui/RoundFailure";
import { Said } from "../../ui/Said";
import { Empty } from "../../ui/State";
import styles from "./Waiting.module.css";

const { waiting: text } = t.label;

type WaitingProps = {
  projectId: number;
  /** What is said of an example: a class, boxes, or an order. */
  task: Project["task"];
  status: LabelStatus | null;
  /** Whether the images that are left are in another tab of the same person. */
  elsewhere: boolean;
  onTakeOver: () => void;
  canUndo: boolean;
  onUndo: () => void;
  /** Something in the project has changed: there may be images now. */
  onNews: () => void;
};

/** Says calmly why there is no image, how long it may last, and what one has done. */
export function Waiting(props: WaitingProps) {
  const { projectId, task, status, elsewhere, onTakeOver, canUndo, onUndo, onNews } = props;
  const { data } = useQuery(betweenQuery(projectId));
  // Whoever only labels has nothing to look at or to take away.
  const reviews = useQuery(projectQuery(projectId)).data?.permissions.includes("review") ?? false;
  const live = useLiveProgress(projectId, data?.job_id ?? null, onNews);
  const progress = live ?? data?.progress ?? null;
  const training = status?.waiting_for === "training";
  const failure = data?.failure ?? null;
  const why = status ? reasonOf(status, elsewhere) : "nothing";
  // Nothing is learned from checks alone: the answers are counted, and that may be all.
  const checked = data?.checks && (why === "training" || why === "others" || why === "finished");
  const waits = training && !checked && live === null ? data?.waits : null;
  const reason = checked ? text.checks[why] : text[waits ? "turn" : why];
  return (
    <div className={styles.waiting} data-waiting-for={status?.waiting_for}>
      {/* The reason is said when it changes; how far the training is would be said all the time. */}
      <div className={styles.reason} role="status">
        <Empty
          icon={<Stone moving={training && !waits} />}
          title={reason.title}
          actions={
            (why === "elsewhere" || why === "failed" || why === "finished" || canUndo) && (
              <>
                {why === "finished" && reviews && (
                  <ButtonLink to={`/projects/${projectId}`} size="small">
                    {text.finished.next}
                  </ButtonLink>
                )}
                {why === "failed" && failure && (
                  <FailureActions projectId={projectId} failure={failure} />
                )}
                {why === "elsewhere" && <Button onClick={onTakeOver}>{text.takeOver}</Button>}
                {canUndo && <Button onClick={onUndo}>{t.label.undoLast}</Button>}
              </>
            )
          }
        >
          {waits && (
            <p>
              <Said>{waits}</Said>
            </p>
          )}
          <p>{reason.text}</p>
          {why === "failed" && failure && <FailureText failure={failure} />}
        </Empty>
      </div>
      <div className={styles.progress}>
        {training && progress && <Training progress={progress} />}
        {training && data?.next && (
          <p className={styles.next}>{text.next(data.next.number, data.next.budget)}</p>
        )}
      </div>
      <div className={styles.mine}>
        {data && <Mine between={data} task={task} />}
        {traitsOf({ task }).isCurated && reviews && <ToChosen projectId={projectId} />}
      </div>
    </div>
  );
}

/** The progress of one job as the server tells of it; other news go to `onNews`. */
function useLiveProgress(
  projectId: number,
  jobId: number | null,
  onNews: () => void,
): JobProgress | null {
  const [told, setTold] = useState<{ id: number; progress: JobProgress | null } | null>(null);
  useEffect(
    () =>
      listenToProject(projectId, (kind, data) => {
        if (kind !== "job") return onNews();
        const change = data as Partial<Job>;
        if (change.id !== jobId) return;
        setTold({ id: jobId, progress: change.progress ?? null });
      }),
    [projectId, jobId, onNews],
  );
  return told?.id === jobId ? told.progress : null;
}

function Training({ progress }: { progress: JobProgress }) {
  const { phase, phases, phase_index: at, step, steps, eta_seconds: left } = progress;
  return (
    <Meter
      label={text.steps[phase] ?? text.steps.other ?? ""}
      value={at + (steps > 0 ? step / steps : 0)}
      max={phases.length}
      text={left === null ? text.phase(at + 1, phases.length) : text.left(formatAbout(left))}
    />
  );
}

/** Where what people said is followed. */
function ToChosen({ projectId }: { projectId: number }) {
  const jobs = useQuery(jobsOfKindQuery(projectId, "select_instructions")).data?.items;
  // Of several, that which asked people last.
  const last = jobs?.find(({ dry_run, result }) => {
    const people = (result?.people ?? null) as { round?: number | null } | null;
    return !dry_run && people?.round != null;
  });
  if (!last) return null;
  return (
    <p className={styles.toChosen}>
      <ButtonLink to={`/projects/${projectId}/jobs/${last.id}`} size="small">
        {t.overview.ranking.show}
      </ButtonLink>
    </p>
  );
}

/** My own figures of the round: who waits may look back. */
function Mine({ between, task }: { between: BetweenRounds; task: Project["task"] }) {
  const { round, mine } = between;
  if (!round || mine.answers === 0) return null;
  const named = traitsOf({ task }).words.mine();
  const figures: [string, string][] = [
    [text.mine.answers, formatCount(mine.answers)],
    [named.inside, formatCount(mine.inside)],
    [named.none, formatCount(mine.ood)],
  ];
  if (mine.median_seconds !== null) {
    figures.push([text.mine.seconds, formatSeconds(mine.median_seconds)]);
  }
  return (
    <>
      <h3>{text.mine.title(round.number)}</h3>
      <dl className={styles.figures}>
        {figures.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}

function reasonOf(status: LabelStatus, elsewhere: boolean) {
  if (status.project_state === "draft") return "draft";
  if (status.waiting_for === "training" && status.round?.number === 0) return "first";
  if (status.waiting_for === "others" && elsewhere) return "elsewhere";
  return status.waiting_for;
}

function Stone({ moving }: { moving: boolean }) {
  return (
    <svg
      className={moving ? styles.moving : ""}
      width="72"
      height="72"
      viewBox="0 0 32 32"
      aria-hidden="true"
    >
      <path className={styles.facet} d="M16 2 22 12H10z" />
      <path className={styles.facet} d="M22 12 16 2l13 10z" />
      <path className={styles.facet} d="M29 12 16 30l6-18z" />
      <path className={styles.facet} d="M10 12h12l-6 18z" />
      <path className={styles.facet} d="M3 12h7l6 18z" />
      <path className={styles.facet} d="M3 12 16 2l-6 10z" />
    </svg>
  );
}
