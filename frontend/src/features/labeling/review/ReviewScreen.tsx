import { useCallback, useEffect, useState, useSyncExternalStore } from "react";
import { Link } from "react-router";
import type { Decision, Project, Review, User } from "../../../api/types";
import { t } from "../../../strings";
import { ButtonLink } from "../../../ui/Button";
import { isElsewhere, keyOf } from "../../../ui/hotkeys";
import { Meter } from "../../../ui/Meter";
import { Empty, Failure, Loading, Notice, Skeleton } from "../../../ui/State";
import desk from "../LabelScreen.module.css";
import { Stage } from "../Stage";
import { useSmooth } from "../useSmooth";
import { DecisionPanel } from "./DecisionPanel";
import { reviewCommandFor } from "./decisions";
import styles from "./ReviewScreen.module.css";
import { type Reviewing, useReviewQueue } from "./useReviewQueue";

const { review: text } = t;

type ReviewScreenProps = {
  project: Project;
  user: User;
  jobId: number;
  /** Where one goes from here: the job's result, or the label page for those who see no jobs. */
  back: string;
};

export function ReviewScreen({ project, user, jobId, back }: ReviewScreenProps) {
  const reviewing = useReviewQueue({ projectId: project.id, jobId, userId: user.id });
  if (!reviewing) {
    return (
      <div className={desk.placeholder}>
        <Loading>
          <Skeleton height="calc(100dvh - 8rem)" />
        </Loading>
      </div>
    );
  }
  return <Desk project={project} back={back} reviewing={reviewing} />;
}

type DeskProps = { project: Project; back: string; reviewing: Reviewing };

function Desk({ project, back, reviewing }: DeskProps) {
  const { queue, images, stopwatch } = reviewing;
  const view = useSyncExternalStore(queue.subscribe, queue.getView);
  useSyncExternalStore(images.subscribe, images.getVersion);
  const [flashed, setFlashed] = useState<Decision | null>(null);
  const [smooth, setSmooth] = useSmooth();
  const { current, history } = view;

  const decide = useCallback(
    (decision: Decision) => {
      if (queue.getView().current) setFlashed(decision);
      queue.decide(decision);
    },
    [queue],
  );

  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.repeat || isElsewhere(event)) return;
      const key = keyOf(event);
      // Enter on a focused button or link is that button's.
      if (key === "enter" && (event.target as Element).closest("a, button")) return;
      const command = reviewCommandFor(key);
      if (!command) return;
      event.preventDefault();
      if (command.do === "decide") decide(command.decision);
      else if (command.do === "undo") queue.undo();
      else if (command.do === "stay") queue.keep();
      else setSmooth((value) => !value);
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [decide, queue, setSmooth]);

  useEffect(() => {
    if (!flashed) return;
    const timer = setTimeout(() => setFlashed(null), 320);
    return () => clearTimeout(timer);
  }, [flashed]);

  const previous = history.at(-1)?.decision;
  return (
    <div className={desk.desk}>
      <ReviewBar project={project} back={back} review={view.review} />
      <div className={desk.work}>
        <div className={desk.stage}>
          {current && (
            <Stage
              subject={{ ...current, query_id: current.id }}
              prepared={images.get(current.image_url)}
              smooth={smooth}
              onSmooth={setSmooth}
              onShown={() => stopwatch.start()}
              onRetry={() => images.retry(current.image_url)}
            />
          )}
          {view.phase === "loading" && (
            <div className={desk.between}>
              <Loading>
                <Skeleton width="min(18rem, 50vw)" height="min(18rem, 50vw)" />
              </Loading>
            </div>
          )}
          {view.phase === "done" && <Done back={back} review={view.review} />}
          {view.phase === "failed" && view.error && (
            <Failure error={view.error} onRetry={() => void queue.refill()} />
          )}
        </div>
        <aside className={desk.side}>
          <p className={desk.last} aria-live="polite">
            {current?.decision
              ? text.before(text.decided[current.decision])
              : previous && text.last(text.decided[previous])}
            {current?.decision && <small>{text.beforeHint}</small>}
          </p>
          <DecisionPanel
            suggestion={current}
            classes={project.classes}
            flashed={flashed}
            canUndo={history.length > 0}
            onDecide={decide}
            onUndo={() => queue.undo()}
          />
          <div className={styles.notes}>
            {view.unsent > 1 && <Notice tone="gold">{text.unsent(view.unsent)}</Notice>}
            {view.refused && <Notice tone="bad">{view.refused}</Notice>}
            <p className={styles.hint}>{text.hint}</p>
          </div>
        </aside>
      </div>
    </div>
  );
}

type ReviewBarProps = { project: Project; back: string; review: Review | null };

function ReviewBar({ project, back, review }: ReviewBarProps) {
  return (
    <div className={styles.bar}>
      <h1 className={styles.title}>
        {text.title} <Link to={back}>{project.name}</Link>
      </h1>
      {review && (
        <Meter
          label={text.progress}
          value={review.total - review.open}
          max={review.total}
          text={text.of(review.total - review.open, review.total)}
        />
      )}
    </div>
  );
}

function Done({ back, review }: { back: string; review: Review | null }) {
  const left = review?.open ?? 0;
  return (
    <div className={styles.done} role="status">
      <Empty
        title={left > 0 ? text.othersTitle : text.doneTitle}
        actions={<ButtonLink to={back}>{text.back}</ButtonLink>}
      >
        {left > 0 ? text.othersText(left) : review && text.doneText(review.decided)}
      </Empty>
    </div>
  );
}
